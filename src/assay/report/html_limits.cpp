// SPDX-License-Identifier: MIT
#include "assay/report/html_sections.hpp"
#include "assay/report/launches_words.hpp"
#include "assay/report/limits_words.hpp"
#include "assay/report/markup.hpp"

namespace assay::report {
namespace {

std::string section(const char* title, const char* caption,
                    const std::vector<std::vector<std::string>>& rows, const std::string& note) {
  if (rows.empty()) return "";
  return std::string("<section>\n<h2>") + title + "</h2>\n" + text_table(caption, rows) +
         element("p", note) + "</section>\n";
}

}  // namespace

std::string limits_section(const judge::Result& result, const experiment::Plan& plan) {
  return section("Limits", "What this machine allows, and how near each subject comes to it",
                 limits_table(result, plan), limits_note(plan));
}

std::string launches_section(const judge::Result& result, const experiment::Plan& plan) {
  std::string note = launches_note();
  for (const std::string& sentence : spill_sentences(result)) note += " " + sentence;
  return section("Launches", "How each subject's launches fill the device",
                 launches_table(result, plan), note);
}

}  // namespace assay::report

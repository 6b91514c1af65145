// SPDX-License-Identifier: MIT
#include "assay/report/html.hpp"

#include <fmt/format.h>

#include "assay/record/bag.hpp"
#include "assay/report/html_sections.hpp"
#include "assay/report/markup.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

// Colours follow the reader's setting; what a colour says is always said by a word too.
constexpr std::string_view kStyle = R"css(
:root { --text: #1b1f24; --page: #ffffff; --soft: #5b636e; --line: #d0d7de; --ink: #1f5fa8; --band: #e8eef5; --mark: #9a4a00; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --page: #14171b; --soft: #a3adb8; --line: #3a424c; --ink: #7db4f0; --band: #22303f; --mark: #f0a868; }
}
@media print {
  :root { --text: #000; --page: #fff; --soft: #333; --line: #999; --ink: #000; --band: #eee; --mark: #000; }
  figure, table { break-inside: avoid; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); overflow-wrap: break-word; max-width: 70rem; margin: 0 auto; padding: 1rem; }
h1, h2 { line-height: 1.2; }
.claim { border-left: 0.3rem solid var(--ink); padding: 0.2rem 0 0.2rem 1rem; font-size: 1.1rem; margin: 1rem 0; }
.scope, figcaption, caption, footer { color: var(--soft); font-size: 0.9rem; }
caption { text-align: left; padding: 0.3rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.7rem; text-align: left; vertical-align: top; }
tbody th { font-weight: normal; }
.verdict { font-weight: 600; white-space: nowrap; }
.number { white-space: nowrap; }
dt { font-weight: 600; }
dd { margin: 0 0 0.5rem 1.5rem; }
summary { cursor: pointer; font-weight: 600; padding: 0.3rem 0; }
figure { margin: 1rem 0; }
pre { overflow-x: auto; font-size: 0.8rem; }
.chart { width: 100%; height: auto; }
.chart text { font: 11px system-ui, sans-serif; fill: var(--text); }
.chart path { fill: none; stroke: var(--line); }
.chart .points { stroke: var(--ink); stroke-width: 2; stroke-linecap: round; }
.chart .marks { stroke: var(--ink); stroke-width: 1.5; }
.chart .beyond { fill: var(--mark); stroke: none; }
.chart .bars { fill: var(--ink); stroke: none; }
.chart .line { stroke: var(--text); }
.chart .band { fill: var(--band); stroke: none; }
.chart .break { stroke: var(--line); stroke-width: 0.5; }
)css";

std::string claims_markup(const judge::Result& result) {
  std::string text;
  for (const judge::Claim& claim : result.claims) {
    text += fmt::format("<div class=\"claim\">{}<p class=\"scope\">Scope of {}: {}.</p></div>\n",
                        element("p", claim.text), escaped(claim.id), escaped(claim.scope));
  }
  return text;
}

}  // namespace

std::string html_page(const record::Record& record, const judge::Result& result) {
  const experiment::Plan& plan = record.evidence.plan;
  ASSAY_EXPECTS(result.cells.size() == plan.cells.size());
  judge::Index index(plan, record.evidence.calibration);
  index.update(record.evidence.samples);

  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n",
      escaped(plan.name), kStyle);
  page += element("p", status_sentence(result) + " " + exit_sentence(result.exit_status));
  page += claims_markup(result);
  page += "</header>\n<main>\n";
  page += result_section(result, plan);
  page += limits_section(result, plan);
  page += launches_section(result, plan);
  page += plan_section(record, result);
  page += caveats_section(result, plan);
  page += cells_section(result, index);
  page += startup_section(result);
  page += canaries_section(result);
  page += device_section(result);
  page += machine_section(record);
  page += "</main>\n<footer>\n";
  page += element("p", fmt::format("Made by Assay {} from the record {} of {}, method {}. Every "
                                   "number here can be recomputed from the record: assay verify.",
                                   plan.assay_version, record::record_name(record.path),
                                   plan.created_utc, result.method));
  return page + "</footer>\n</body>\n</html>\n";
}

}  // namespace assay::report

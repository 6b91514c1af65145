// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "assay/judge/judge.hpp"
#include "assay/report/html.hpp"
#include "assay/report/terminal.hpp"
#include "synthetic.hpp"

namespace assay::report {
namespace {

using judge_test::check_of;
using judge_test::evidence_of;
using judge_test::Synthetic;

// A record with a bit of everything: faster, slower, undecided, invalid, refused, a weak gate.
record::Record full_record() {
  Synthetic s{.cases = {"n=1024", "n=4096", "n=8"},
              .subjects = {"before", "after", "wrong", "similar"},
              .ratio = {{"after", 0.625}, {"similar", 1.012}}};
  record::Record record;
  record.path = "/somewhere/synthetic-20261129T214405Z-0123abcd";
  record.plan_sha256 = std::string(64, '0');
  record.sealed_utc = "2026-11-29T21:44:05+00:00";
  record.evidence = evidence_of(s, 16);
  std::erase_if(record.evidence.samples.rows, [&](const record::Sample& row) {
    return record.evidence.samples.names.name(row.case_id) == "n=8";
  });
  auto& calibration = record.evidence.calibration.cells[2];
  calibration.iterations = Missing{"too-short", "a call lasts less than ten steps of the timer"};
  auto& checks = record.evidence.checks.results;
  checks = {check_of("before", "before", true), check_of("before", "after", true),
            check_of("adversarial", "wrong", false), check_of("gate-power", "zeros", false)};
  return record;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// ASSAY_APPROVE=1 in the environment writes what was made; look at the difference before
// committing it.
void expect_golden(const std::string& name, const std::string& made) {
  const std::string path = std::string(ASSAY_REPORT_GOLDEN) + "/" + name;
  if (std::getenv("ASSAY_APPROVE") != nullptr) std::ofstream(path, std::ios::binary) << made;
  EXPECT_EQ(read(path), made) << "not as approved in " << path
                              << "; if it is right, run again with ASSAY_APPROVE=1";
}

TEST(Golden, Table) {
  const record::Record record = full_record();
  const judge::Result result = judge::judge(record.evidence, judge::Ending::budget_spent);
  expect_golden("table-100.txt",
                result_table(result, record.evidence.plan, {.colour = false, .width = 100}));
  expect_golden("table-80.txt",
                result_table(result, record.evidence.plan, {.colour = false, .width = 80}));
}

TEST(Golden, Page) {
  const record::Record record = full_record();
  expect_golden("page.html",
                html_page(record, judge::judge(record.evidence, judge::Ending::budget_spent)));
}

TEST(Table, ColourAddsNothingButColour) {
  const record::Record record = full_record();
  const judge::Result result = judge::judge(record.evidence, judge::Ending::complete);
  const std::string plain = result_table(result, record.evidence.plan, {false, 100});
  std::string coloured = result_table(result, record.evidence.plan, {true, 100});
  EXPECT_NE(coloured, plain);
  for (std::size_t at = 0; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, plain);
}

TEST(Table, GivesNoTimeForAnInvalidSubject) {
  const record::Record record = full_record();
  const judge::Result result = judge::judge(record.evidence, judge::Ending::complete);
  std::istringstream lines(result_table(result, record.evidence.plan, {false, 100}));
  std::string line;
  int seen = 0;
  while (std::getline(lines, line)) {
    if (line.find("wrong  ") == std::string::npos) continue;
    if (line.find("invalid") != std::string::npos) ++seen;
    EXPECT_EQ(line.find("µs"), std::string::npos) << line;
  }
  EXPECT_EQ(seen, 3);
}

// `after` takes 1.06 times as long in every third sample.
record::Record record_with_modes() {
  record::Record record;
  record.evidence = evidence_of({.ratio = {{"after", 0.9}}, .blocks = 20, .looks = {16}}, 16);
  record::SampleTable& samples = record.evidence.samples;
  for (record::Sample& row : samples.rows) {
    if (samples.names.name(row.subject) == "after" && row.block % 3 == 0) row.interval_ns *= 1.06;
  }
  return record;
}

TEST(Table, SaysTheModesBelowTheirSubject) {
  const record::Record record = record_with_modes();
  const std::string table = result_table(judge::judge(record.evidence, judge::Ending::complete),
                                         record.evidence.plan, {false, 200});
  const std::size_t row = table.find("  after ");
  const std::size_t note = table.find("\n", row) + 1;
  EXPECT_EQ(table.compare(note, 40, "          ↑ 2 modes within trials (dip"), 0) << table;
  EXPECT_NE(table.find("; ratio of means 0.9"), std::string::npos) << table;
  EXPECT_NE(table.find("modes.several (sum/n=1024/warm/call): The times of after have 2 modes"),
            std::string::npos)
      << table;
}

TEST(Page, HasATableOfModesAndBothEstimands) {
  const record::Record record = record_with_modes();
  const std::string page =
      html_page(record, judge::judge(record.evidence, judge::Ending::complete));
  EXPECT_NE(page.find("Modes of the times of after, within trials: dip test, p at most 0.001"),
            std::string::npos);
  EXPECT_EQ(page.find("Modes of the times of before"), std::string::npos);
  EXPECT_NE(page.find("Ratios by both estimands"), std::string::npos);
  EXPECT_NE(page.find("as registered: the verdict rests on it"), std::string::npos);
  EXPECT_NE(page.find("ratio of means"), std::string::npos);
}

TEST(Table, OfOneSubjectShowsItsPrecision) {
  record::Evidence evidence = evidence_of({.subjects = {"only"}}, 8);
  evidence.plan.protocol.precision = 0.0001;
  const std::string table = result_table(judge::judge(evidence, judge::Ending::budget_spent),
                                         evidence.plan, {false, 100});
  EXPECT_NE(table.find("the precision of 0.01 % asked for was not reached"), std::string::npos)
      << table;
}

TEST(Table, TimesThatDriftedAreShownAndMarked) {
  Synthetic s{.sd_trial = 0.0005, .blocks = 20, .looks = {16}};
  record::Record record;
  record.evidence = evidence_of(s, 16);
  for (record::Sample& row : record.evidence.samples.rows) row.interval_ns *= 1 + 0.003 * row.trial;
  const judge::Result result = judge::judge(record.evidence, judge::Ending::complete);
  const std::string table = result_table(result, record.evidence.plan, {false, 100});
  EXPECT_NE(table.find("µs †"), std::string::npos) << table;
  EXPECT_NE(table.find("nothing is claimed about these times"), std::string::npos);
  EXPECT_NE(html_page(record, result).find("µs †"), std::string::npos);
}

TEST(Table, AnEmptyRunStillSaysWhatItIs) {
  record::Evidence evidence = evidence_of({}, 0);
  const std::string table =
      result_table(judge::judge(evidence, judge::Ending::complete), evidence.plan, {false, 80});
  EXPECT_NE(table.find("Nothing was measured."), std::string::npos);
  EXPECT_NE(table.find("Exit status 3"), std::string::npos);
}

TEST(Page, TakesNothingFromElsewhere) {
  const record::Record record = full_record();
  const std::string page =
      html_page(record, judge::judge(record.evidence, judge::Ending::complete));
  for (const char* outside : {"http:", "https:", "<script", "<link", "src=", "url(", "@import"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
}

TEST(Page, EscapesEveryWordFromOutside) {
  record::Record record = full_record();
  const std::string attack = "<script>alert('x')</script>&\"";
  experiment::Plan& plan = record.evidence.plan;
  plan.name = attack;
  plan.question = {attack, attack, attack, attack, attack, {{attack, attack, {attack}}}};
  plan.predictions[0].because = attack;
  plan.descriptions[0].device.name = attack;
  plan.descriptions[0].build.flags = attack;
  plan.cells[0].subjects[1].name = attack;
  plan.cells[0].problem = attack;
  plan.cells[1].unsupported = {attack};
  record.evidence.checks.results[2].reason = attack;
  record.evidence.calibration.cells[2].iterations = Missing{"too-short", attack};
  record.evidence.environment = Json{{"host", attack}};
  record.plan_sha256 = attack;
  const std::string page =
      html_page(record, judge::judge(record.evidence, judge::Ending::complete));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("alert('"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"),
            std::string::npos);
}

// So that a narrow page does not break a time from its unit, and does not grow wider either.
TEST(Page, KeepsNumbersOnALineInTablesThatScroll) {
  const record::Record record = full_record();
  const std::string page =
      html_page(record, judge::judge(record.evidence, judge::Ending::complete));
  EXPECT_NE(page.find(".number { white-space: nowrap; }"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"number\">6.254 µs</td>"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"number\">6.244 to 6.264 µs</td>"), std::string::npos);
  for (char digit = '0'; digit <= '9'; ++digit) {
    EXPECT_EQ(page.find(std::string("<td>") + digit), std::string::npos);
  }
  EXPECT_NE(page.find("<td>invalid: wrong output"), std::string::npos) << "words are wrapped";
  EXPECT_NE(page.find(".wide { overflow-x: auto; }"), std::string::npos);
  EXPECT_NE(page.find("overflow-wrap: break-word;"), std::string::npos) << "digests are wrapped";
  const std::string_view scrolls = "<div class=\"wide\">";
  for (auto at = page.find("<table"); at != std::string::npos; at = page.find("<table", at + 1)) {
    ASSERT_GE(at, scrolls.size());
    EXPECT_EQ(page.substr(at - scrolls.size(), scrolls.size()), scrolls);
  }
}

TEST(Page, StaysSmallWithManySamples) {
  Synthetic s{.subjects = {"before", "a", "b", "c"}, .blocks = 20};
  s.cases.clear();
  for (int i = 1; i <= 40; ++i) s.cases.push_back("n=" + std::to_string(i));
  record::Record record;
  record.evidence = evidence_of(s, 16);
  const std::string page =
      html_page(record, judge::judge(record.evidence, judge::Ending::complete));
  EXPECT_LT(page.size(), 2U << 20);
}

TEST(Page, SaysWhenNotEverySampleIsDrawn) {
  Synthetic s{.blocks = 400};
  record::Record record;
  record.evidence = evidence_of(s, 16);
  const std::string page =
      html_page(record, judge::judge(record.evidence, judge::Ending::complete));
  EXPECT_NE(page.find("of 19200 samples are drawn: of each run of neighbours the lowest and the "
                      "highest"),
            std::string::npos);
}

}  // namespace
}  // namespace assay::report

// SPDX-License-Identifier: MIT
#include "assay/record/tables.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "rows.hpp"
#include "support.hpp"

namespace assay::record {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t seed = 20261129;

std::string parse_refusal(const std::string& text) {
  return refusal_of(ErrorKind::bad_input, [&] { parse_samples(text, "samples.csv", false); });
}

std::string with_row(const std::string& row) { return std::string(samples_header) + "\n" + row; }

// The row that the refusals below are made from.
const std::string good_row = "1,0,program,0,sum,n=8,warm,call,tsc,measure,0,0,naive,5.5,10,99,\n";

std::string with_field(std::size_t column, const std::string& field) {
  std::string row;
  std::size_t at = 0;
  for (const char c : good_row) {
    const bool is_end = c == ',' || c == '\n';
    if (is_end && at == column) row += field;
    if (is_end || at != column) row += c;
    if (c == ',') ++at;
  }
  return with_row(row);
}

TEST(Dictionary, NumbersNamesInOrderOfFirstUse) {
  Dictionary names;
  EXPECT_EQ(names.index_of("b"), 0U);
  EXPECT_EQ(names.index_of("a"), 1U);
  EXPECT_EQ(names.index_of("b"), 0U);
  EXPECT_EQ(names.name(1), "a");
  EXPECT_EQ(names.size(), 2U);
  EXPECT_EQ(*names.find("a"), 1U);
  EXPECT_EQ(names.find("c").missing().reason, "never-seen");
}

TEST(Phase, ReadsBackFromItsText) {
  for (const Phase phase : {Phase::calibration, Phase::warm_up, Phase::measure, Phase::canary}) {
    EXPECT_EQ(phase_from_string(to_string(phase)), phase);
  }
  refusal_of(ErrorKind::bad_input, [] { phase_from_string("warm"); });
}

TEST(SamplesCsv, HasTheColumnsOfTheReference) {
  EXPECT_EQ(samples_header,
            "trial,process,build,layout,problem,case,state,boundary,timer,phase,block,position,"
            "subject,interval_ns,iterations,start_ns,flags");
}

TEST(SamplesCsv, IsOneLineForEachSample) {
  SampleTable table;
  std::string row;
  append_csv(row, table, sample_named(table, "fast"));
  EXPECT_EQ(row,
            "1,3,program,0,sum,n=1024 dtype=f32,warm,call,tsc,measure,7,2,fast,1234.5,10,99,\n");
}

TEST(SamplesCsv, ACanaryIsARowOfNoCell) {
  SampleTable table;
  Sample sample = sample_named(table, "canary-memory");
  sample.phase = Phase::canary;
  sample.problem = sample.case_id = sample.state = sample.boundary = table.names.index_of("");
  std::string row;
  append_csv(row, table, sample);
  EXPECT_EQ(row, "1,3,program,0,,,,,tsc,canary,7,2,canary-memory,1234.5,10,99,\n");
  const SampleTable read = parse_samples(with_row(row), "samples.csv", false);
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read.rows[0].phase, Phase::canary);
  EXPECT_EQ(read.names.name(read.rows[0].problem), "");
}

TEST(SamplesCsv, QuotesOnlyWhatMustBe) {
  SampleTable table;
  std::string row;
  append_csv(row, table, sample_named(table, "a,b \"c\""));
  EXPECT_THAT(row, HasSubstr(",2,\"a,b \"\"c\"\"\",1234.5,"));
  row.clear();
  append_csv(row, table, sample_named(table, "vec<4>; x"));
  EXPECT_THAT(row, HasSubstr(",2,vec<4>; x,1234.5,"));
}

TEST(SamplesCsv, RefusesToHoldALineBreak) {
  SampleTable table;
  std::string row;
  const Sample sample = sample_named(table, "two\nlines");
  EXPECT_THAT(refusal_of(ErrorKind::bad_input, [&] { append_csv(row, table, sample); }),
              HasSubstr("two?lines"));
}

TEST(SamplesCsv, RefusesToHoldANumberThatIsNone) {
  SampleTable table;
  std::string row;
  const auto refuses = [&](auto change) {
    Sample sample = sample_named(table, "fast");
    change(sample);
    refusal_of(ErrorKind::bug, [&] { append_csv(row, table, sample); });
  };
  refuses([](Sample& s) { s.interval_ns = std::numeric_limits<double>::quiet_NaN(); });
  refuses([](Sample& s) { s.interval_ns = std::numeric_limits<double>::infinity(); });
  refuses([](Sample& s) { s.interval_ns = -1; });
  refuses([](Sample& s) { s.iterations = 0; });
  refuses([](Sample& s) { s.start_ns = -1; });
}

TEST(SamplesCsv, ReadsBackEveryRowThatCanBeWritten) {
  Random random(seed);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round);
    const SampleTable written = random_samples(random, random.next_below(40));
    const std::string text = csv_of(written);
    const SampleTable read = parse_samples(text, "samples.csv", false);
    ASSERT_EQ(read.rows.size(), written.rows.size());
    EXPECT_EQ(csv_of(read), text);
    for (std::size_t i = 0; i < read.rows.size(); ++i) {
      const Sample& a = written.rows[i];
      const Sample& b = read.rows[i];
      EXPECT_EQ(a.interval_ns, b.interval_ns);
      EXPECT_EQ(a.iterations, b.iterations);
      EXPECT_EQ(a.start_ns, b.start_ns);
      EXPECT_EQ(a.trial, b.trial);
      EXPECT_EQ(a.phase, b.phase);
      EXPECT_EQ(written.names.name(a.subject), read.names.name(b.subject));
      EXPECT_EQ(written.names.name(a.flags), read.names.name(b.flags));
      EXPECT_EQ(written.names.name(a.case_id), read.names.name(b.case_id));
    }
  }
}

TEST(SamplesCsv, CutAnywhereKeepsItsWholeRows) {
  Random random(seed);
  const SampleTable table = random_samples(random, 5);
  const std::string text = csv_of(table);
  for (std::size_t size = 0; size <= text.size(); ++size) {
    SCOPED_TRACE(size);
    const std::string cut = text.substr(0, size);
    const auto lines = static_cast<std::size_t>(std::count(cut.begin(), cut.end(), '\n'));
    const std::size_t rows = lines == 0 ? 0 : lines - 1;
    EXPECT_EQ(parse_samples(cut, "samples.csv", true).rows.size(), rows);
    if (!cut.empty() && cut.back() == '\n') {
      EXPECT_EQ(parse_samples(cut, "samples.csv", false).rows.size(), rows);
    } else {
      parse_refusal(cut);
    }
  }
}

TEST(SamplesCsv, SaysThatItWasCutOff) {
  EXPECT_THAT(parse_refusal(with_row(good_row) + "1,0,pro"),
              AllOf(HasSubstr("samples.csv:3"), HasSubstr("cut off")));
  EXPECT_THAT(parse_refusal(""), HasSubstr("empty or cut off"));
}

TEST(SamplesCsv, IsKnownByItsColumns) {
  const std::string renamed = "trial,process\n1,0\n";
  EXPECT_THAT(parse_refusal(renamed), AllOf(HasSubstr("samples.csv:1"), HasSubstr(samples_header),
                                            HasSubstr("'trial,process'")));
  // What is no table of samples at all is none that was cut off either.
  refusal_of(ErrorKind::bad_input, [] { parse_samples("ELF", "samples.csv", true); });
}

TEST(SamplesCsv, RefusesRowsOfAnotherWidth) {
  EXPECT_THAT(parse_refusal(with_row("1,0,program\n")),
              AllOf(HasSubstr("samples.csv:2"), HasSubstr("'layout'"), HasSubstr("missing")));
  EXPECT_THAT(parse_refusal(with_row("\n")), HasSubstr("samples.csv:2"));
  const std::string wide = good_row.substr(0, good_row.size() - 1) + ",more\n";
  EXPECT_THAT(parse_refusal(with_row(wide)), HasSubstr("more fields"));
}

TEST(SamplesCsv, SaysWhichNumberIsWrong) {
  EXPECT_THAT(parse_refusal(with_field(13, "fast")),
              AllOf(HasSubstr("samples.csv:2"), HasSubstr("'interval_ns'"), HasSubstr("'fast'")));
  for (const char* interval : {"-1", "nan", "inf", "1e999", "", " 1", "1 ", "0x10", "1,5"}) {
    parse_refusal(with_field(13, interval));
  }
  for (const char* count : {"0", "-1", "1.5", "", "9223372036854775808"}) {
    EXPECT_THAT(parse_refusal(with_field(14, count)), HasSubstr("'iterations'"));
  }
  EXPECT_THAT(parse_refusal(with_field(0, "4294967296")), HasSubstr("'trial'"));
  EXPECT_THAT(parse_refusal(with_field(9, "warm")), HasSubstr("'phase'"));
}

TEST(SamplesCsv, RefusesBrokenQuotes) {
  EXPECT_THAT(parse_refusal(with_field(12, "\"naive")), HasSubstr("never closed"));
  EXPECT_THAT(parse_refusal(with_field(12, "na\"ive")), HasSubstr("'subject'"));
  EXPECT_THAT(parse_refusal(with_field(12, "\"na\"ive")), HasSubstr("goes on"));
}

TEST(SamplesCsv, RefusesControlCharactersAndForeignLineEnds) {
  parse_refusal(with_field(12, std::string("na\0ive", 6)));
  parse_refusal(with_row(good_row.substr(0, good_row.size() - 1) + "\r\n"));
}

TEST(SamplesCsv, IsReadFromAFileInPieces) {
  const TemporaryDirectory directory;
  const SampleTable table = ordinary_samples(30'000);
  const std::string text = csv_of(table);
  ASSERT_GT(text.size(), std::size_t{2} << 20) << "rows must cross the end of a piece";
  put(directory / "samples.csv", text);
  EXPECT_EQ(csv_of(read_samples(directory / "samples.csv", false)), text);
}

TEST(TrialsCsv, ReadsBackAsItWasWritten) {
  Trial unpinned = ordinary_trial();
  unpinned.core = Missing{"threaded", "a sentence that only the log keeps"};
  unpinned.not_steady = "sum/n=8/warm/call;sum/n=9/warm/call";
  unpinned.canary_missing = "refused";
  std::string text = std::string(trials_header) + "\n";
  append_csv(text, ordinary_trial());
  append_csv(text, unpinned);
  EXPECT_EQ(text.substr(trials_header.size() + 1),
            "1,2,program,0,call,5,,8,2026-11-29T21:44:05+00:00,10,20,completed,,\n"
            "1,2,program,0,call,,threaded,8,2026-11-29T21:44:05+00:00,10,20,completed,"
            "sum/n=8/warm/call;sum/n=9/warm/call,refused\n");
  const auto trials = parse_trials(text, "trials.csv", false);
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].core, Reading<std::int64_t>(5));
  EXPECT_EQ(trials[1].core, Reading<std::int64_t>(Missing{"threaded", ""}));
  EXPECT_EQ(trials[1].not_steady, unpinned.not_steady);
  EXPECT_EQ(trials[1].canary_missing, "refused");
  EXPECT_EQ(trials[1].end_ns, 20);
  EXPECT_EQ(trials[1].started_utc, unpinned.started_utc);
}

TEST(TrialsCsv, OfALostParentLacksTheCoresForTheReasonThatTheCoreIsMissingFor) {
  Trial lost = ordinary_trial();
  lost.core = Missing{outcome::parent_lost, ""};
  lost.cores_allowed = Missing{outcome::parent_lost, ""};
  lost.started_utc.clear();
  lost.outcome = outcome::parent_lost;
  std::string text = std::string(trials_header) + "\n";
  append_csv(text, lost);
  EXPECT_THAT(text, HasSubstr("\n1,2,program,0,call,,parent-lost,,,10,20,parent-lost,,\n"));
  const auto trials = parse_trials(text, "trials.csv", false);
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].cores_allowed, Reading<std::int64_t>(Missing{outcome::parent_lost, ""}));
  EXPECT_THAT(refusal_of(ErrorKind::bad_input,
                         [&] {
                           parse_trials(std::string(trials_header) +
                                            "\n1,2,program,0,call,5,,,,10,20,completed,,\n",
                                        "trials.csv", false);
                         }),
              HasSubstr("'cores_allowed' must not be empty where a core is given"));
}

TEST(TrialsCsv, RefusesAMissingColumn) {
  std::string header(trials_header);
  header.resize(header.rfind(','));
  const std::string text =
      header + "\n1,2,program,0,call,5,,8,2026-11-29T21:44:05+00:00,10,20,completed,\n";
  EXPECT_THAT(refusal_of(ErrorKind::bad_input, [&] { parse_trials(text, "trials.csv", false); }),
              HasSubstr("trials.csv:1: expected the columns " + std::string(trials_header)));
}

TEST(TrialsCsv, RefusesACoreThatIsBothThereAndMissing) {
  const auto refuses = [](const std::string& core) {
    const std::string text =
        std::string(trials_header) + "\n1,2,program,0,call," + core + ",8,t,10,20,completed,,\n";
    return refusal_of(ErrorKind::bad_input, [&] { parse_trials(text, "trials.csv", true); });
  };
  EXPECT_THAT(refuses("5,not-pinned"), HasSubstr("trials.csv:2: 'core_missing'"));
  EXPECT_THAT(refuses(","), HasSubstr("'core_missing'"));
  EXPECT_THAT(refuses("x,"), HasSubstr("'core'"));
}

CommandRun ordinary_run() {
  CommandRun run;
  run.trial = 1;
  run.process = 2;
  run.problem = "commands";
  run.case_id = "n=3, m=4";
  run.state = "warm";
  run.boundary = "command";
  run.block = 5;
  run.position = 6;
  run.subject = "old";
  run.user_ns = 7;
  run.system_ns = 8;
  run.max_rss_bytes = 9;
  run.minor_faults = 10;
  run.major_faults = 11;
  run.voluntary_switches = 12;
  run.involuntary_switches = 13;
  return run;
}

TEST(CommandRunsCsv, ReadsBackAsItWasWritten) {
  CommandRun unknown = ordinary_run();
  unknown.phase = Phase::warm_up;
  unknown.max_rss_bytes = Missing{"below-the-parents", ""};
  std::string text = std::string(command_runs_header) + "\n";
  append_csv(text, ordinary_run());
  append_csv(text, unknown);
  const auto runs = parse_command_runs(text, "command-runs.csv", false);
  ASSERT_EQ(runs.size(), 2U);
  std::string again = std::string(command_runs_header) + "\n";
  for (const CommandRun& run : runs) append_csv(again, run);
  EXPECT_EQ(again, text);
  EXPECT_EQ(runs[0].case_id, "n=3, m=4");
  EXPECT_EQ(runs[1].max_rss_bytes.missing().reason, "below-the-parents");
}

TEST(CommandRunsCsv, RefusesWhatIsMalformed) {
  std::string row;
  append_csv(row, ordinary_run());
  const auto refuses = [&](const std::string& what, const std::string& with) {
    std::string text = std::string(command_runs_header) + "\n" + row;
    const auto at = text.find(what, command_runs_header.size());
    EXPECT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
    return refusal_of(ErrorKind::bad_input, [&] { parse_command_runs(text, "runs.csv", false); });
  };
  EXPECT_THAT(refuses("measure", "measured"), HasSubstr("runs.csv:2: 'phase'"));
  EXPECT_THAT(refuses(",7,", ",-7,"), HasSubstr("'user_ns' must be an integer of at least 0"));
  EXPECT_THAT(refuses(",9,,", ",9,why,"), HasSubstr("'max_rss_missing'"));
  EXPECT_THAT(refuses(",13", ""), HasSubstr("'involuntary_switches' is missing"));
  EXPECT_THAT(refuses("\n1,2,", "\n1,2"), HasSubstr("runs.csv:2"));
}

TEST(TrialsCsv, DropsARowThatWasCutOff) {
  std::string text = std::string(trials_header) + "\n";
  append_csv(text, ordinary_trial());
  const std::string cut = text + "2,3,pro";
  EXPECT_EQ(parse_trials(cut, "trials.csv", true).size(), 1U);
  refusal_of(ErrorKind::bad_input, [&] { parse_trials(cut, "trials.csv", false); });
}

}  // namespace
}  // namespace assay::record

// SPDX-License-Identifier: MIT
//
// Experiments whose subjects are whole commands: what the file may say, and what becomes of it in
// the plan and in a new file written from it.
#include <gmock/gmock.h>

#include "assay/experiment/command_output.hpp"
#include "assay/experiment/scaffold.hpp"
#include "support.hpp"

namespace assay::experiment {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const char* const two_commands =
    "name = \"t\"\n"
    "[cases]\nn = [10, 20]\n"
    "[[subject]]\nname = \"old\"\ncommand = [\"seq\", \"-w\", \"{n}\"]\noutput = \"-\"\n"
    "[[subject]]\nname = \"new\"\ncommand = [\"./seq\", \"\", \"{n}\", \"{n}\"]\n"
    "output = \"out-{n}.txt\"\nthreads = 1\n";

// As the worker of commands describes them.
ProgramDescription description_of(const Experiment& experiment) {
  ProblemDescription problem;
  problem.name = "commands";
  problem.checked = true;
  problem.tolerance = "byte-for-byte";
  problem.states = {"warm"};
  for (const auto& [name, values] : experiment.cases.axes) problem.axes.push_back({name, values});
  std::vector<std::string> names;
  for (const Command& command : experiment.commands) {
    SubjectDescription subject;
    subject.name = command.name;
    subject.threads = command.threads;
    problem.subjects.push_back(subject);
    names.push_back(command.name);
  }
  for (const std::int64_t n : {10, 20}) {
    problem.cases.push_back(case_description(Case({{"n", n}}), names));
  }
  ProgramDescription description = program_of({problem});
  description.boundaries = {"command"};
  for (TimerDescription& timer : description.timers) timer.boundaries = description.boundaries;
  return description;
}

TEST(Commands, AreReadAsWrittenWithTheirDefaults) {
  const Experiment experiment = parse_experiment(two_commands, "dir/e.toml");
  ASSERT_EQ(experiment.commands.size(), 2U);
  const Command& old = experiment.commands[0];
  EXPECT_THAT(old.words, ElementsAre("seq", "-w", "{n}"));
  EXPECT_EQ(old.output, "-");
  EXPECT_EQ(old.threads, -1);
  const Command& fresh = experiment.commands[1];
  EXPECT_THAT(fresh.words, ElementsAre("./seq", "", "{n}", "{n}"));
  EXPECT_EQ(fresh.output, "out-{n}.txt");
  EXPECT_EQ(fresh.threads, 1);
  EXPECT_THAT(experiment.defaults_used, Contains("subject[0].threads"));
  EXPECT_THAT(experiment.defaults_used, Not(Contains("subject[1].threads")));
  // One discarded run warms the page cache; the file may ask for more.
  EXPECT_EQ(experiment.protocol.warmup_blocks_max, 1);
  EXPECT_EQ(parse_experiment(std::string(two_commands) + "[protocol]\nwarmup_blocks_max = 4\n", "")
                .protocol.warmup_blocks_max,
            4);
  ASSERT_EQ(experiment.builds.size(), 1U);
  EXPECT_EQ(experiment.builds[0].directory, "dir");
}

TEST(Commands, MakeAPlanThatReadsBackTheSame) {
  Experiment experiment = parse_experiment(two_commands, "dir/e.toml");
  experiment.commands[0].program = "/usr/bin/seq";
  const Plan plan = plan_of(experiment, description_of(experiment));
  EXPECT_EQ(plan.cells.front().id(), "commands/n=10/warm/command");
  EXPECT_EQ(plan.comparisons.size(), 2U);
  EXPECT_EQ(plan.cells.front().subjects.back().text(), "new");
  const Json json = to_json(plan);
  EXPECT_EQ(to_json(plan_from_json(json, "plan.json")), json);
  EXPECT_EQ(plan_from_json(json, "plan.json").commands.front().program, "/usr/bin/seq");
}

TEST(Commands, AreNotMentionedInThePlanOfAProgram) {
  EXPECT_FALSE(to_json(plan_of("", sum_program())).contains("commands"));
}

TEST(Commands, MustBeThoseThatTheCellsOfAPlanName) {
  const Experiment experiment = parse_experiment(two_commands, "dir/e.toml");
  Json json = to_json(plan_of(experiment, description_of(experiment)));
  json["commands"].erase(0);
  EXPECT_THAT(bad_input([&] { plan_from_json(json, "plan.json"); }),
              HasSubstr("the subject old is no command"));
}

TEST(Commands, AreWrittenIntoAFileThatReadsTheSame) {
  const Experiment experiment = parse_experiment(two_commands, "dir/e.toml");
  const std::string text =
      experiment_text_from_plan(plan_of(experiment, description_of(experiment)));
  const Experiment again = parse_experiment(text, "dir/e.toml");
  ASSERT_EQ(again.commands.size(), 2U);
  EXPECT_EQ(again.commands[1].words, experiment.commands[1].words);
  EXPECT_EQ(again.commands[1].output, experiment.commands[1].output);
  EXPECT_EQ(again.commands[1].threads, 1);
  EXPECT_EQ(again.baseline, "old");
}

TEST(Commands, AreWrittenWithPathsThatLeadToTheirProgramsFromAnywhere) {
  Experiment experiment = parse_experiment(two_commands, "dir/e.toml");
  experiment.commands[0].words.front() = "../tools/old";
  experiment.commands[0].program = "/somewhere/tools/old";
  experiment.commands[1].words.front() = "new";
  experiment.commands[1].program = "/usr/bin/new";
  const std::string text =
      experiment_text_from_plan(plan_of(experiment, description_of(experiment)));
  const Experiment again = parse_experiment(text, "elsewhere/e.toml");
  EXPECT_EQ(again.commands[0].words.front(), "/somewhere/tools/old");
  EXPECT_EQ(again.commands[0].words[1], experiment.commands[0].words[1]);
  EXPECT_EQ(again.commands[1].words.front(), "new") << "a name is looked for in PATH";
}

TEST(Commands, HaveBracesInTheirProgramWhereTwoAreWritten) {
  Experiment experiment = parse_experiment(two_commands, "dir/e.toml");
  experiment.commands[0].words.front() = "./{a}";
  experiment.commands[0].program = "/{n}/{a}";
  experiment.commands[1].words.front() = "a}";
  const std::string text =
      experiment_text_from_plan(plan_of(experiment, description_of(experiment)));
  const Experiment again = parse_experiment(text, "elsewhere/e.toml");
  EXPECT_EQ(again.commands[0].words.front(), "/{n}/{a}");
  EXPECT_EQ(again.commands[1].words.front(), "a}");
}

TEST(Outputs, AreFilesBelowTheFolder) {
  for (const char* good : {"", "-", "x", "a/b", "./x", "..x", "a/..b/c..", "{n}"}) {
    EXPECT_EQ(trouble_with_output(good), "") << good;
  }
  for (const std::string& bad :
       {std::string("/x"), std::string(".."), std::string("../x"), std::string("a/.."),
        std::string("a/../x"), std::string("."), std::string("a/"), std::string("a\0b", 3)}) {
    EXPECT_NE(trouble_with_output(bad), "") << bad;
  }
}

TEST(Outputs, AreCheckedWithTheValuesOfEveryCase) {
  const Experiment experiment = parse_experiment(
      "name = \"t\"\n[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"{x}{y}\"\n"
      "[cases]\nx = [\"b\", \".\"]\ny = [\"c\", \".\"]\n[protocol]\nprecision = 0.5\n",
      "dir/e.toml");
  ProblemDescription problem = sum_problem({"a"});
  problem.name = "commands";
  problem.states = {"warm"};
  problem.axes = {{"x", {std::string("b"), std::string(".")}},
                  {"y", {std::string("c"), std::string(".")}}};
  problem.cases.clear();
  for (const char* x : {"b", "."}) {
    for (const char* y : {"c", "."}) {
      problem.cases.push_back(
          case_description(Case({{"x", std::string(x)}, {"y", std::string(y)}}), {"a"}));
    }
  }
  EXPECT_THAT(bad_input([&] { plan_of(experiment, program_of({problem})); }),
              HasSubstr("the output \"..\" of the subject \"a\" at x=. y=.: it leads upwards"));
}

TEST(Expand, ReplacesAxesAndHalvesBraces) {
  const Case the_case({{"n", std::int64_t{10}}, {"kind", std::string("x")}});
  EXPECT_EQ(expand("--n={n}/{kind}{n}", the_case), "--n=10/x10");
  EXPECT_EQ(expand("{{print $1}}", the_case), "{print $1}");
  EXPECT_EQ(expand("{{{n}}}", the_case), "{10}");
  EXPECT_EQ(expand("", the_case), "");
}

TEST(Expand, SaysWhatIsWrongWithABrace) {
  const Case the_case({{"n", std::int64_t{10}}});
  EXPECT_THAT(bad_input([&] { expand("{m}", the_case); }), HasSubstr("no axis 'm'"));
  EXPECT_THAT(bad_input([&] { expand("{n", the_case); }), HasSubstr("has no end"));
  EXPECT_THAT(bad_input([&] { expand("n}", the_case); }), HasSubstr("stands alone"));
}

TEST(FindCommand, TakesAPathFromTheFolderAndANameFromPath) {
  Command command;
  command.words = {"sh"};
  EXPECT_EQ(find_command(command, "/nowhere").filename(), "sh");
  command.words = {"./sh"};
  EXPECT_EQ(find_command(command, "/bin"), "/bin/sh");
  EXPECT_TRUE(find_command(command, "/nowhere").empty());
  command.words = {"no-such-program-anywhere"};
  EXPECT_TRUE(find_command(command, "/bin").empty());
  command.words = {"/etc/passwd"};  // not executable
  EXPECT_TRUE(find_command(command, "/bin").empty());
}

TEST(AxisOption, GivenTwiceIsRefused) {
  Experiment experiment = parse_experiment("name = \"t\"\nprogram = \"p\"\n", "dir/e.toml");
  experiment.cases.axis_overrides = {parse_axis_option("n=4"), parse_axis_option("n=8")};
  EXPECT_THAT(message_of(ErrorKind::usage, [&] { cases_asked(experiment, sum_program()); }),
              HasSubstr("'n' is given twice"));
}

}  // namespace
}  // namespace assay::experiment

// SPDX-License-Identifier: MIT
//
// Every kind of mistake in an experiment file: where it is said to stand, what is said to be wrong,
// and what was expected.
#include <gmock/gmock.h>

#include "support.hpp"

namespace assay::experiment {
namespace {

struct BadFile {
  const char* name;
  const char* text;  // after the line `name = "t"`, so its first line is line 2
  const char* place;
  const char* trouble;
  const char* expected;
};

class BadFileTest : public testing::TestWithParam<BadFile> {};

TEST_P(BadFileTest, IsRefusedWithLineKeyAndWhatWasExpected) {
  const BadFile& bad = GetParam();
  const std::string message =
      bad_input([&] { parse_experiment(std::string("name = \"t\"\n") + bad.text, "dir/e.toml"); });
  EXPECT_THAT(message, testing::StartsWith(std::string("dir/e.toml:") + bad.place));
  EXPECT_THAT(message, testing::HasSubstr(bad.trouble));
  EXPECT_THAT(message, testing::HasSubstr(bad.expected));
}

const BadFile bad_files[] = {
    {"NotToml", "x = = 3\n", "2: ", "not TOML", ""},
    {"LetterOutsideText", "\n\xC3\xA9 = 3\n", "3: ", "beyond ASCII", "quotes around it"},
    {"KeyTwice", "name = \"again\"\n", "2: ", "not TOML", "name"},
    {"UnknownTopKey", "progam = \"x\"\n", "2: progam: ", "unknown key", "\"program\"?"},
    {"UnknownTable", "\n[protocoll]\nalpha = 0.1\n", "3: protocoll: ", "unknown key",
     "\"protocol\"?"},
    {"UnknownFarKey", "zzzzzzzz = 1\n", "2: zzzzzzzz: ", "unknown key",
     "expected \"name\", \"program\""},
    {"UnknownProtocolKey", "[protocol]\nmargn = 0.1\n", "3: protocol.margn: ", "unknown key",
     "expected \"margin\"?"},
    {"UnknownQuestionKey", "[question]\nquestion = \"q\"\nhypotesis = \"h\"\n",
     "4: question.hypotesis: ", "unknown key", "\"hypothesis\"?"},
    {"UnknownAlternativeKey",
     "[question]\nquestion = \"q\"\nhypothesis = \"h\"\n[[question.alternative]]\nmetric = []\n",
     "6: question.alternative.metric: ", "unknown key", "\"metrics\"?"},
    {"UnknownPredictionKey", "[[prediction]]\ncandidte = \"a\"\n",
     "3: prediction.candidte: ", "unknown key", "\"candidate\"?"},
    {"UnknownLayoutKey", "[layout]\nreplicate = 8\n", "3: layout.replicate: ", "unknown key",
     "\"replicates\"?"},
    {"UnknownBuildKey", "[build.program]\nprogram = \"p\"\ncomand = \"make\"\n",
     "4: build.program.comand: ", "unknown key", "\"command\"?"},
    {"UnknownPublicationKey", "[publication]\nlicense = \"MIT\"\n",
     "3: publication.license: ", "unknown key", "\"licence\"?"},
    {"ProgramOfWrongType", "program = 3\n", "2: program: ", "the integer 3", "text in quotes"},
    {"EmptyBaseline", "baseline = \" \"\n", "2: baseline: ", "empty", "text"},
    {"ProtocolIsNoTable", "protocol = 3\n", "2: protocol: ", "the integer 3", "a table"},
    {"QuestionWithoutQuestion", "\n[question]\nhypothesis = \"h\"\n",
     "3: question.question: ", "missing", "the question"},
    {"QuestionWithoutHypothesis", "[question]\nquestion = \"q\"\n",
     "2: question.hypothesis: ", "missing", "thought to be true"},
    {"AlternativeIsNoTable",
     "[question]\nquestion = \"q\"\nhypothesis = \"h\"\nalternative = [1]\n",
     "5: question.alternative: ", "a list", "[[question.alternative]]"},
    {"AlternativeWithoutSign",
     "[question]\nquestion = \"q\"\nhypothesis = \"h\"\n[[question.alternative]]\nexplanation = "
     "\"e\"\n",
     "5: question.alternative.told_apart_by: ", "missing", "what would be seen"},
    {"PredictionWithSingleBrackets", "[prediction]\ncandidate = \"a\"\n",
     "2: prediction: ", "a table", "[[prediction]]"},
    {"PredictionWithoutCandidate", "[[prediction]]\nratio = [0.5, 0.6]\n",
     "2: prediction.candidate: ", "missing", "a subject"},
    {"PredictionWithoutRatio", "[[prediction]]\ncandidate = \"a\"\n",
     "2: prediction.ratio: ", "missing", "[low, high]"},
    {"RatioReversed", "[[prediction]]\ncandidate = \"a\"\nratio = [0.7, 0.6]\n",
     "4: prediction.ratio: ", "[0.7, 0.6]", "0 < low <= high"},
    {"RatioOfZero", "[[prediction]]\ncandidate = \"a\"\nratio = [0, 1]\n",
     "4: prediction.ratio: ", "no interval", "0 < low <= high"},
    {"RatioOfThree", "[[prediction]]\ncandidate = \"a\"\nratio = [1, 2, 3]\n",
     "4: prediction.ratio: ", "no pair", "[low, high]"},
    {"RatioNotFinite", "[[prediction]]\ncandidate = \"a\"\nratio = [1, inf]\n",
     "4: prediction.ratio: ", "no interval", "0 < low <= high"},
    {"ProbabilitiesSumToLess",
     "[[prediction]]\ncandidate = \"a\"\nratio = [1, 2]\nprobability = { faster = 0.5, equivalent "
     "= 0.2, slower = 0.2 }\n",
     "5: prediction.probability: ", "sum to 0.900000", "a sum of 1"},
    {"ProbabilityMissing",
     "[[prediction]]\ncandidate = \"a\"\nratio = [1, 2]\nprobability = { faster = 1 }\n",
     "5: prediction.probability.equivalent: ", "missing", "each of the three"},
    {"ProbabilityAboveOne",
     "[[prediction]]\ncandidate = \"a\"\nratio = [1, 2]\nprobability = { faster = 1.5, equivalent "
     "= 0, slower = 0 }\n",
     "5: prediction.probability.faster: ", "1.5", "at least 0 and at most 1"},
    {"WhereIsNoCondition", "[[prediction]]\ncandidate = \"a\"\nratio = [1, 2]\nwhere = \"n ~ 3\"\n",
     "5: prediction.where: ", "cannot read 'n ~ 3'", "AXIS OPERATOR VALUE"},
    {"AlphaOfHalf", "[protocol]\nalpha = 0.5\n", "3: protocol.alpha: ", "the number 0.5",
     "above 0 and below 0.5"},
    {"AlphaOfZero", "[protocol]\nalpha = 0\n", "3: protocol.alpha: ", "the integer 0", "above 0"},
    {"AlphaNaN", "[protocol]\nalpha = nan\n", "3: protocol.alpha: ", "the number nan", "above 0"},
    {"AlphaText", "[protocol]\nalpha = \"5 %\"\n", "3: protocol.alpha: ", "the text \"5 %\"",
     "a number"},
    {"MarginOfOne", "[protocol]\nmargin = 1.0\n", "3: protocol.margin: ", "the number 1.0",
     "at least 0 and below 1"},
    {"MarginNegative", "[protocol]\nmargin = -0.01\n", "3: protocol.margin: ", "-0.01",
     "at least 0 and below 1"},
    {"PrecisionOfZero", "[protocol]\nprecision = 0.0\n", "3: protocol.precision: ", "0.0",
     "above 0 and below 1"},
    {"TooFewBlocks", "[protocol]\nblocks = 2\n", "3: protocol.blocks: ", "the integer 2",
     "at least 3"},
    {"BlocksOfWrongType", "[protocol]\nblocks = 3.0\n", "3: protocol.blocks: ", "the number 3.0",
     "an integer"},
    {"SeedNegative", "[protocol]\nseed = -1\n", "3: protocol.seed: ", "the integer -1",
     "at least 0"},
    {"WarmupNegative", "[protocol]\nwarmup_blocks_max = -1\n",
     "3: protocol.warmup_blocks_max: ", "-1", "at least 0"},
    {"NoiseFloorOfNoRule", "[protocol]\nnoise_floor = \"halve\"\n",
     "3: protocol.noise_floor: ", "no rule \"halve\"", "\"ignore\""},
    {"SampleWithoutUnit", "[protocol]\nsample = 1\n", "3: protocol.sample: ", "the integer 1",
     "\"1ms\""},
    {"SampleOfUnknownUnit", "[protocol]\nsample = \"1 fortnight\"\n",
     "3: protocol.sample: ", "no duration", "ns, us, ms, s, min, h"},
    {"BudgetOfZero", "[protocol]\nbudget = \"0s\"\n", "3: protocol.budget: ", "no duration",
     "above 0"},
    {"TimeoutNegative", "[protocol]\ntimeout = \"-1s\"\n", "3: protocol.timeout: ", "no duration",
     "above 0"},
    {"LooksEmpty", "[protocol]\nlooks = []\n", "3: protocol.looks: ", "an empty list",
     "a list of integers"},
    {"LooksNotIncreasing", "[protocol]\nlooks = [8, 16, 16]\n",
     "3: protocol.looks: ", "16 follows 16", "strictly increasing"},
    {"LookOfOne", "[protocol]\nlooks = [1, 16]\n", "3: protocol.looks: ", "a look after 1",
     "at least 2"},
    {"LookThatCannotDecide", "[protocol]\nlooks = [7, 16, 32, 64, 128]\n",
     "3: protocol.looks: ", "2/2^7 = 0.015625", "a first look of at least 8"},
    {"AlphaTooSmallForTheLooks", "[protocol]\nalpha = 0.01\n", "3: protocol.alpha: ", "2/2^8",
     "a first look of at least 10"},
    {"LooksWithText", "[protocol]\nlooks = [8,\n\"16\"]\n",
     "4: protocol.looks: ", "the text \"16\"", "a list of integers"},
    {"BoundaryUnknown", "[protocol]\nboundary = [\"devise\"]\n", "3: protocol.boundary: ",
     "no boundary \"devise\"", "\"device\", \"call\", \"cold-start\", \"command\""},
    {"BoundaryTwice", "[protocol]\nboundary = [\"call\", \"call\"]\n",
     "3: protocol.boundary: ", "stands twice", "once"},
    {"StateIsNoList", "[protocol]\nstate = \"warm\"\n", "3: protocol.state: ", "the text \"warm\"",
     "a list of texts"},
    {"StateNoName", "[protocol]\nstate = [\"very cold\"]\n",
     "3: protocol.state: ", "cannot name a state", "without blanks"},
    {"TooFewLayouts", "[layout]\nreplicates = 4\n", "3: layout.replicates: ", "too few",
     "at least 8"},
    {"LayoutsBelowTheFirstLook", "[protocol]\nlooks = [10, 20]\n[layout]\nreplicates = 8\n",
     "5: layout.replicates: ", "too few", "at least 10"},
    {"TooManyLayouts", "[layout]\nreplicates = 1025\n", "3: layout.replicates: ", "1025 layouts",
     "at most 1024"},
    {"LayoutsOfZero", "[layout]\nreplicates = 0\n", "3: layout.replicates: ", "the integer 0",
     "at least 1"},
    {"CasesEmpty", "[cases]\n", "2: cases: ", "empty", "at least one axis"},
    {"AxisEmpty", "[cases]\nn = []\n", "3: cases.n: ", "an empty list",
     "at least one value, such as [1024, 4096], or no such key"},
    {"AxisValueTwice", "[cases]\nn = [1, 2,\n1]\n", "4: cases.n: ", "1 stands twice", "once"},
    {"AxisMixed", "[cases]\nn = [1, 2.0]\n", "3: cases.n: ", "another type", "all integers"},
    {"AxisOfBooleans", "[cases]\nn = [true]\n", "3: cases.n: ", "true", "an integer, a number or"},
    {"AxisInfinite", "[cases]\nn = [inf]\n", "3: cases.n: ", "not finite", "a finite number"},
    {"AxisTextWithBlank", "[cases]\nd = [\"a b\"]\n", "3: cases.d: ", "cannot be part of a case",
     "without blanks"},
    {"AxisTextLikeNumber", "[cases]\nd = [\"1024\"]\n", "3: cases.d: ", "reads as a number",
     "a finite number"},
    {"AxisNameWithBlank", "[cases]\n\"a b\" = 1\n", "3: cases: ", "cannot name an axis",
     "without blanks"},
    {"PowerReversed", "[cases]\nn = { pow2 = [5, 4] }\n", "3: cases.n.pow2: ", "no exponents",
     "0 <= low <= high <= 62"},
    {"PowerTooHigh", "[cases]\nn = { pow2 = [0, 63] }\n", "3: cases.n.pow2: ", "no exponents",
     "<= 62"},
    {"PowerMissing", "[cases]\nn = { tails = [1] }\n", "3: cases.n.pow2: ", "missing", "pow2 ="},
    {"TailBelowOne", "[cases]\nn = { pow2 = [0, 4], tails = [-1] }\n",
     "3: cases.n.tails: ", "no size", "at least 1"},
    {"UnknownAxisKey", "[cases]\nn = { pow = [0, 4] }\n", "3: cases.n.pow: ", "unknown key",
     "\"pow2\"?"},
    {"CaseBesideCases", "[cases]\nn = 1\n[[case]]\nn = 2\n", "4: case: ", "beside [cases]",
     "one of them"},
    {"CaseEmpty", "[[case]]\n", "2: case: ", "empty", "a value for each axis"},
    {"CaseTwice", "[[case]]\nn = 1\n[[case]]\nn = 1\n", "4: case: ", "n=1 stands twice", "once"},
    {"CaseWithList", "[[case]]\nn = [1]\n", "3: case.n: ", "a list", "an integer, a number or"},
    {"CommandWithoutOutput", "[[subject]]\nname = \"old\"\ncommand = [\"./old\"]\n",
     "2: subject.output: ", "missing", "or unchecked = true"},
    {"CommandAsText", "[[subject]]\nname = \"a\"\ncommand = \"./old -x\"\nunchecked = true\n",
     "4: subject.command: ", "the text \"./old -x\"", "a list of texts, the program first"},
    {"CommandEmpty", "[[subject]]\nname = \"a\"\ncommand = []\nunchecked = true\n",
     "4: subject.command: ", "an empty list", "the program first"},
    {"CommandCheckedTwoWays",
     "[[subject]]\nname = \"a\"\ncommand = [\"a\"]\nunchecked = true\noutput = \"-\"\n",
     "5: subject.unchecked: ", "beside an output", "one of the two"},
    {"CommandsHalfChecked",
     "[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"-\"\n"
     "[[subject]]\nname = \"b\"\ncommand = [\"b\"]\nunchecked = true\n",
     "6: subject: ", "\"b\" is unchecked and \"a\" is not", "for every subject"},
    {"CommandsOfOneName",
     "[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"-\"\n"
     "[[subject]]\nname = \"a\"\ncommand = [\"b\"]\noutput = \"-\"\n",
     "7: subject.name: ", "two subjects \"a\"", "another name"},
    {"CommandCalledControl", "[[subject]]\nname = \"control\"\ncommand = [\"a\"]\noutput = \"-\"\n",
     "3: subject.name: ", "the second baseline", "another name"},
    {"CommandOnThreeThreads",
     "[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"-\"\nthreads = 3\n",
     "6: subject.threads: ", "the integer 3", "\"all\""},
    {"CommandOfUnknownAxis",
     "[cases]\nn = 1\n[[subject]]\nname = \"a\"\ncommand = [\"a\", \"-n{m}\"]\noutput = \"-\"\n",
     "4: subject: ", "there is no axis 'm' in \"-n{m}\"", "{AXIS}"},
    {"CommandWithALoneBrace",
     "[[subject]]\nname = \"a\"\ncommand = [\"awk\", \"{print\"]\noutput = \"-\"\n",
     "2: subject: ", "an opening brace has no end", "{{"},
    {"CommandsProgramWithAnAxis",
     "[cases]\nn = 1\n[[subject]]\nname = \"a\"\ncommand = [\"./a{n}\"]\noutput = \"-\"\n",
     "4: subject: ", "no axis 'n'", "the program's own name"},
    {"AxisThatNoCommandUses",
     "[cases]\nn = 1\n[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"-\"\n",
     "3: cases.n: ", "no command uses the axis 'n'", "{n}"},
    {"CommandsBesideAProgram",
     "program = \"p\"\n[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"-\"\n",
     "2: program: ", "subjects are commands", "or commands"},
    {"OutputAbsolute", "[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"/etc/x\"\n",
     "5: subject.output: ", "\"/etc/x\": this is an absolute path", "below the folder"},
    {"OutputUpwards", "[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"a/../../x\"\n",
     "5: subject.output: ", "upwards", "below the folder"},
    {"OutputFolder", "[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"a/\"\n",
     "5: subject.output: ", "a folder", "below the folder"},
    {"CommandsInLayouts",
     "[layout]\nreplicates = 8\n[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = \"-\"\n",
     "2: layout: ", "commands have no layouts", "no [layout]"},
    {"CommandsWithASampleLength",
     "[protocol]\nsample = \"1ms\"\n[[subject]]\nname = \"a\"\ncommand = [\"a\"]\noutput = "
     "\"-\"\n",
     "3: protocol.sample: ", "is one run of it", "no such key"},
    {"OneSideOnly", "[build.candidate]\nprogram = \"p\"\n", "2: build: ", "not two sides",
     "[build.baseline] and [build.candidate]"},
    {"BuildUnknown", "[build.third]\nprogram = \"p\"\n", "2: build.third: ", "unknown build",
     "[build.baseline] and [build.candidate]"},
    {"BuildWithoutProgram", "[build.baseline]\n[build.candidate]\n",
     "2: build.baseline.program: ", "missing", "`program` for both"},
};

INSTANTIATE_TEST_SUITE_P(ExperimentFile, BadFileTest, testing::ValuesIn(bad_files),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(ExperimentFile, NeedsAName) {
  EXPECT_THAT(bad_input([] { parse_experiment("program = \"p\"\n", "e.toml"); }),
              testing::StartsWith("e.toml:1: name: missing; expected"));
  EXPECT_THAT(bad_input([] { parse_experiment("name = \"../x\"\n", "e.toml"); }),
              testing::HasSubstr("cannot be part of a directory's name"));
}

TEST(ExperimentFile, RefusesAKeyOfThousandsOfParts) {
  std::string text = "name = \"t\"\na";
  for (int i = 0; i < 100'000; ++i) text += ".a";
  EXPECT_THAT(bad_input([&] { parse_experiment(text + " = 1\n", "e.toml"); }),
              testing::StartsWith("e.toml:2: too many points"));
}

TEST(ExperimentFile, MayHoldAnyLetterInTextsAndComments) {
  const Experiment experiment = parse_experiment(
      "\xEF\xBB\xBFname = \"t\" # é\n[question]\nquestion = \"é \\\" é\"\nhypothesis = "
      "\"\"\"é \"é\" é\"\"\"\ndecision = 'é \\'\nif_supported = '''é\n\"é''' # é\n",
      "e.toml");
  EXPECT_EQ(experiment.question.question, "é \" é");
  EXPECT_EQ(experiment.question.hypothesis, "é \"é\" é");
  EXPECT_EQ(experiment.question.decision, "é \\");
  EXPECT_EQ(experiment.question.if_supported, "é\n\"é");
}

TEST(ExperimentFile, SaysWhichFileCannotBeRead) {
  EXPECT_THAT(bad_input([] { read_experiment("no/such/e.toml"); }),
              testing::HasSubstr("no/such/e.toml"));
  EXPECT_THAT(bad_input([] { read_experiment("."); }), testing::HasSubstr("cannot read"));
}

}  // namespace
}  // namespace assay::experiment

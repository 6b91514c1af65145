// SPDX-License-Identifier: MIT
//
// The lines of the protocol as golden text: workers in other languages are written against them, so
// a change here is a change of the protocol's version.
#include "assay/wire/messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace assay;
using namespace assay::wire;
using testing::HasSubstr;

const Envelope envelope{"n0nce", 7};

template <typename T>
T request_back(const std::string& line) {
  EXPECT_EQ(line.back(), '\n');
  auto [back, request] = request_from_line(std::string_view(line).substr(0, line.size() - 1));
  EXPECT_EQ(back.nonce, envelope.nonce);
  EXPECT_EQ(back.id, envelope.id);
  return std::get<T>(request);
}

template <typename T>
T answer_back(const std::string& line) {
  auto [back, answer] = answer_from_line(std::string_view(line).substr(0, line.size() - 1));
  EXPECT_EQ(back.nonce, envelope.nonce);
  EXPECT_EQ(back.id, envelope.id);
  return std::get<T>(answer);
}

std::string message_of(std::string_view line) {
  try {
    request_from_line(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::worker);
    return error.what();
  }
  return "no error";
}

TEST(Messages, DescribeHasThisForm) {
  Describe request;
  request.device = "fake:script.json";
  request.boundary = "device";
  request.timer = "cupti";
  request.measures = true;
  request.ceilings = true;
  request.cases["sum"] = {Case::parse("n=16 dtype=f32"), Case::parse("n=17 dtype=f32")};
  const std::string line = to_line(envelope, request);
  EXPECT_EQ(line,
            R"({"assay":1,"nonce":"n0nce","id":7,"ask":"describe","device":"fake:script.json",)"
            R"("boundary":"device","timer":"cupti","measures":true,"ceilings":true,)"
            R"("cases":{"sum":["n=16 dtype=f32","n=17 dtype=f32"]}})"
            "\n");
  const auto back = request_back<Describe>(line);
  EXPECT_EQ(back.device, request.device);
  EXPECT_EQ(back.boundary, "device");
  EXPECT_EQ(back.timer, "cupti");
  EXPECT_TRUE(back.measures);
  EXPECT_TRUE(back.ceilings);
  EXPECT_EQ(back.cases, request.cases);
}

TEST(Messages, TheAnswerToAFirstCallTellsItsPhases) {
  BlockDone answer;
  answer.samples.push_back({"a", 1500.5, 99000, "", {}});
  answer.startup = StartupTold{70000, {}};
  Startup& phases = answer.startup->phases;
  phases[StartupPhase::driver] = Missing{no_phase::no_driver, "none"};
  phases[StartupPhase::context] = Missing{no_phase::no_driver, "none"};
  phases[StartupPhase::allocate] = PhaseTime{80000, 1000};
  phases[StartupPhase::call] = PhaseTime{99000, 1500.5};
  const std::string line = to_line(envelope, answer);
  EXPECT_EQ(line, R"({"assay":1,"nonce":"n0nce","id":7,"answer":"block","samples":[{"subject":"a",)"
                  R"("interval_ns":1500.5,"start_ns":99000,"flags":""}],"failures":[],)"
                  R"("startup":{"began_ns":70000,"driver":{"missing":"no-driver","detail":"none"},)"
                  R"("context":{"missing":"no-driver","detail":"none"},)"
                  R"("allocate":{"start_ns":80000,"interval_ns":1000.0},)"
                  R"("compile":{"missing":"not-told","detail":""},)"
                  R"("prepare":{"missing":"not-told","detail":""},)"
                  R"("load":{"missing":"not-told","detail":""},)"
                  R"("call":{"start_ns":99000,"interval_ns":1500.5}}})"
                  "\n");
  const auto back = answer_back<BlockDone>(line);
  ASSERT_TRUE(back.startup.has_value());
  EXPECT_EQ(back.startup->began_ns, 70000);
  EXPECT_EQ(*back.startup->phases[StartupPhase::call], (PhaseTime{99000, 1500.5}));
  EXPECT_EQ(back.startup->phases[StartupPhase::load].missing().reason, "not-told");
}

TEST(Messages, PhasesMayBeLeftOutAndMustBeTimes) {
  const auto with = [](const std::string& startup) {
    return R"({"assay":1,"nonce":"n0nce","id":7,"answer":"block","samples":[],"failures":[],)"
           R"("startup":)" +
           startup + "}";
  };
  const auto told = answer_from_line(with(R"({"began_ns":5})")).second;
  const auto& startup = std::get<BlockDone>(told).startup;
  ASSERT_TRUE(startup.has_value());
  EXPECT_EQ(startup->phases[StartupPhase::call].missing().reason, "not-told");
  for (const char* bad :
       {R"({})", R"({"began_ns":-1})", R"({"began_ns":1,"start":{"start_ns":1,"interval_ns":1}})",
        R"({"began_ns":1,"call":{"start_ns":-1,"interval_ns":1}})",
        R"({"began_ns":1,"call":{"start_ns":1,"interval_ns":-1}})",
        R"({"began_ns":1,"call":{"missing":"No Reason","detail":""}})",
        R"({"began_ns":1,"warm-up":{"start_ns":1,"interval_ns":1}})"}) {
    EXPECT_THROW(answer_from_line(with(bad)), Error) << bad;
  }
}

TEST(Messages, PrepareHasThisForm) {
  Prepare request;
  request.cell = {"sum", Case::parse("n=16"), "warm", "call"};
  request.subjects = {"a", "b"};
  request.baseline = "a";
  request.content_key = 0xfedcba9876543210;
  request.timer = "tsc";
  request.single_core = {1};
  request.all_cores = {0, 1};
  request.trial = 3;
  const std::string line = to_line(envelope, request);
  EXPECT_EQ(line,
            R"({"assay":1,"nonce":"n0nce","id":7,"ask":"prepare","cell":{"problem":"sum",)"
            R"("case":"n=16","state":"warm","boundary":"call"},"subjects":["a","b"],)"
            R"("baseline":"a","content_key":"fedcba9876543210","timer":"tsc","single_core":[1],)"
            R"("all_cores":[0,1],"trial":3})"
            "\n");
  const auto back = request_back<Prepare>(line);
  EXPECT_EQ(back.cell.problem, "sum");
  EXPECT_EQ(back.cell.the_case, request.cell.the_case);
  EXPECT_EQ(back.cell.state, "warm");
  EXPECT_EQ(back.cell.boundary, "call");
  EXPECT_EQ(back.subjects, request.subjects);
  EXPECT_EQ(back.baseline, "a");
  EXPECT_EQ(back.content_key, request.content_key);
  EXPECT_EQ(back.timer, "tsc");
  EXPECT_EQ(back.single_core, request.single_core);
  EXPECT_EQ(back.all_cores, request.all_cores);
  EXPECT_EQ(back.trial, 3);
}

TEST(Messages, CheckHasThisForm) {
  const std::string line = to_line(envelope, Check{"before", {"a"}, 1});
  EXPECT_EQ(line, R"({"assay":1,"nonce":"n0nce","id":7,"ask":"check","kind":"before",)"
                  R"("subjects":["a"],"content_key":"0000000000000001"})"
                  "\n");
  const auto back = request_back<Check>(line);
  EXPECT_EQ(back.kind, "before");
  EXPECT_EQ(back.subjects, std::vector<std::string>{"a"});
  EXPECT_EQ(back.content_key, 1U);
}

TEST(Messages, BlockHasThisForm) {
  Block request;
  request.order = {"b", "control", "a"};
  request.iterations = 1000;
  request.content_key = 16;
  request.keep_outputs = true;
  request.phase = "measure";
  request.block = 4;
  const std::string line = to_line(envelope, request);
  EXPECT_EQ(line, R"({"assay":1,"nonce":"n0nce","id":7,"ask":"block","order":["b","control","a"],)"
                  R"("iterations":1000,"content_key":"0000000000000010","keep_outputs":true,)"
                  R"("phase":"measure","block":4})"
                  "\n");
  const auto back = request_back<Block>(line);
  EXPECT_EQ(back.order, request.order);
  EXPECT_EQ(back.iterations, 1000);
  EXPECT_EQ(back.content_key, 16U);
  EXPECT_TRUE(back.keep_outputs);
  EXPECT_EQ(back.phase, "measure");
  EXPECT_EQ(back.block, 4);
}

TEST(Messages, CeilingsHaveThisForm) {
  const std::string line = to_line(envelope, Ceilings{2.5});
  EXPECT_EQ(line, R"({"assay":1,"nonce":"n0nce","id":7,"ask":"ceilings","budget_s":2.5})"
                  "\n");
  EXPECT_EQ(request_back<Ceilings>(line).budget_s, 2.5);
  CeilingsDone done;
  done.ceilings.vector_bits = 256;
  done.ceilings.cores = {0};
  done.ceilings.cores_allowed = 1;
  done.ceilings.levels = {{"memory", Missing{"not-known", ""}, 1}};
  done.ceilings.compute = {{"f32", 1, Passes{2e9, 1e9, 10}}};
  EXPECT_EQ(answer_back<CeilingsDone>(to_line(envelope, done)).ceilings, done.ceilings);
  done.ceilings.levels.clear();
  EXPECT_THROW(answer_from_line(to_line(envelope, done)), Error);
}

TEST(Messages, CanaryHasThisForm) {
  const std::string line = to_line(envelope, Canary{"end", "tsc", {1}, 3});
  EXPECT_EQ(line, R"({"assay":1,"nonce":"n0nce","id":7,"ask":"canary","moment":"end",)"
                  R"("timer":"tsc","single_core":[1],"trial":3})"
                  "\n");
  const auto back = request_back<Canary>(line);
  EXPECT_EQ(back.moment, "end");
  EXPECT_EQ(back.timer, "tsc");
  EXPECT_EQ(back.single_core, std::vector<int>{1});
  EXPECT_EQ(back.trial, 3);
  const std::string answer =
      to_line(envelope, CanaryDone{{{"canary-compute", 61000.5, 99, "switched", {}}}});
  EXPECT_EQ(answer, R"({"assay":1,"nonce":"n0nce","id":7,"answer":"canary","samples":[{"subject":)"
                    R"("canary-compute","interval_ns":61000.5,"start_ns":99,"flags":"switched"}]})"
                    "\n");
  const auto done = answer_back<CanaryDone>(answer);
  ASSERT_EQ(done.samples.size(), 1U);
  EXPECT_EQ(done.samples[0].subject, "canary-compute");
  EXPECT_EQ(done.samples[0].interval_ns, 61000.5);
  EXPECT_EQ(done.samples[0].flags, "switched");
}

TEST(Messages, IdleAndEndHaveThisForm) {
  EXPECT_EQ(to_line(envelope, Request(Idle{})), R"({"assay":1,"nonce":"n0nce","id":7,"ask":"idle"})"
                                                "\n");
  EXPECT_EQ(to_line(envelope, Request(End{})), R"({"assay":1,"nonce":"n0nce","id":7,"ask":"end"})"
                                               "\n");
  request_back<Idle>(to_line(envelope, Request(Idle{})));
  request_back<End>(to_line(envelope, Request(End{})));
}

TEST(Messages, PreparedHasThisForm) {
  Prepared answer;
  answer.inputs = {{"x", "f32", {4, 4}, "abc"}};
  answer.footprint_bytes = 68;
  answer.max_iterations = 1;
  answer.preparations = {{"a", 1500, 100}};
  const std::string line = to_line(envelope, answer);
  EXPECT_EQ(line, R"({"assay":1,"nonce":"n0nce","id":7,"answer":"prepare","inputs":[{"name":"x",)"
                  R"("dtype":"f32","shape":[4,4],"sha256":"abc"}],"footprint_bytes":68,)"
                  R"("max_iterations":1,"preparations":[{"subject":"a","interval_ns":1500.0,)"
                  R"("reuse_count":100}],"failures":[]})"
                  "\n");
  const auto back = answer_back<Prepared>(line);
  ASSERT_EQ(back.inputs.size(), 1U);
  EXPECT_EQ(back.inputs[0].name, "x");
  EXPECT_EQ(back.inputs[0].dtype, "f32");
  EXPECT_EQ(back.inputs[0].shape, (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(back.inputs[0].sha256, "abc");
  EXPECT_EQ(back.footprint_bytes, 68);
  EXPECT_EQ(back.max_iterations, 1);
  ASSERT_EQ(back.preparations.size(), 1U);
  EXPECT_EQ(back.preparations[0].subject, "a");
  EXPECT_EQ(back.preparations[0].interval_ns, 1500);
  EXPECT_EQ(back.preparations[0].reuse_count, 100);
}

TEST(Messages, PreparedTellsOfARotation) {
  Prepared answer;
  answer.rotation = Rotation{4, 8192};
  const std::string line = to_line(envelope, answer);
  EXPECT_THAT(line, testing::HasSubstr(R"("rotation":{"copies":4,"bytes":8192})"));
  EXPECT_EQ(*answer_back<Prepared>(line).rotation, (Rotation{4, 8192}));
}

TEST(Messages, PreparedCarriesGeneratedCode) {
  Generated generated;
  generated.subject = "tiled";
  generated.kernel = "sum<4>";
  generated.lowered_name = "_Z3sumi";
  generated.architecture = "sm_90";
  generated.compiler = "NVRTC 13.0";
  generated.options = {"-DN=4", "-lineinfo"};
  generated.source_sha256 = std::string(64, 'a');
  generated.cubin_sha256 = std::string(64, 'b');
  generated.ptx_sha256 = std::string(64, 'c');
  generated.compile_ns = 5000000;
  generated.obtained_ns = 40;
  generated.is_from_cache = true;
  generated.cubin_file = std::string("/cache/b.cubin");
  generated.ptx_file = Missing{"not-writable", "no room"};
  generated.grid = {3, 2, 1};
  generated.block = {256, 1, 1};
  generated.dynamic_shared_bytes = 16;
  generated.registers = 32;
  generated.static_shared_bytes = 33;
  generated.local_bytes = 34;
  generated.spill_store_bytes = 35;
  generated.spill_load_bytes = 36;
  generated.max_threads = Missing{"not-readable", "why"};
  generated.occupancy_frac = 0.75;
  generated.occupancy_limited_by = std::string("registers");
  Prepared answer;
  answer.generated = {generated};
  const std::string line = to_line(envelope, answer);
  const auto back = answer_back<Prepared>(line);
  ASSERT_EQ(back.generated.size(), 1U);
  EXPECT_EQ(to_json(back.generated[0]), to_json(generated));
  EXPECT_EQ(to_json(generated).size(), 25U);
  EXPECT_THAT(to_line(envelope, Prepared{}), testing::Not(HasSubstr("generated")));

  // It becomes the name of a file.
  std::string bad = line;
  bad.replace(bad.find(std::string(64, 'b')), 8, "../../..");
  EXPECT_THROW(answer_from_line(bad), Error);
}

TEST(Messages, PreparedLeavesOutMaxIterationsWhereThereIsNone) {
  const std::string line = to_line(envelope, Prepared{});
  EXPECT_THAT(line, testing::Not(HasSubstr("max_iterations")));
  EXPECT_FALSE(answer_back<Prepared>(line).max_iterations.has_value());
}

TEST(Messages, CheckedCarriesResults) {
  Checked answer;
  experiment::CheckResult result;
  result.kind = "before";
  result.problem = "sum";
  result.case_id = "n=16";
  result.subject = "a";
  result.content = "ordinary";
  result.reason = "wrong";
  result.detail = Json::object();
  answer.results = {result};
  answer.reference_ns = 12;
  const auto back = answer_back<Checked>(to_line(envelope, answer));
  ASSERT_EQ(back.results.size(), 1U);
  EXPECT_EQ(back.results[0].subject, "a");
  EXPECT_FALSE(back.results[0].passed);
  EXPECT_EQ(back.reference_ns, 12);
}

TEST(Messages, BlockDoneHasThisForm) {
  BlockDone answer;
  answer.samples = {{"a", 1234.5, 99, "", {}}, {"control", 1240, 120, "switched migrated", {}}};
  const std::string line = to_line(envelope, answer);
  EXPECT_EQ(line,
            R"({"assay":1,"nonce":"n0nce","id":7,"answer":"block","samples":[{"subject":"a",)"
            R"("interval_ns":1234.5,"start_ns":99,"flags":""},{"subject":"control",)"
            R"("interval_ns":1240.0,"start_ns":120,"flags":"switched migrated"}],"failures":[]})"
            "\n");
  const auto back = answer_back<BlockDone>(line);
  ASSERT_EQ(back.samples.size(), 2U);
  EXPECT_EQ(back.samples[1].subject, "control");
  EXPECT_EQ(back.samples[0].interval_ns, 1234.5);
  EXPECT_EQ(back.samples[0].start_ns, 99);
  EXPECT_EQ(back.samples[1].flags, "switched migrated");
}

TEST(Messages, ABlockCarriesWhatTheDeviceSaidOfItself) {
  BlockDone answer;
  EXPECT_FALSE(answer_back<BlockDone>(to_line(envelope, answer)).device);
  answer.device.emplace();
  answer.device->before = Telemetry(gpu_fields());
  answer.device->before.time_ns = 99;
  answer.device->before.took_ns = 7;
  answer.device->before.set(Field::sm_clock_hz, 1'980'000'000);
  answer.device->after.set(Field::temperature_c, -3);
  answer.device->after.set(Field::energy_mj,
                           Missing{"not-supported", "nvmlX: \"Not Supported\" (3)"});
  const std::string line = to_line(envelope, answer);
  EXPECT_THAT(line, testing::HasSubstr(
                        R"("device":{"before":{"time_ns":99,"took_ns":7,"sm_clock_hz":{"value":)"
                        R"(1980000000},"memory_clock_hz":{"missing":"not-read","detail":""})"));
  const auto back = answer_back<BlockDone>(line);
  ASSERT_TRUE(back.device);
  EXPECT_EQ(back.device->before.time_ns, 99);
  EXPECT_EQ(back.device->before.took_ns, 7);
  EXPECT_EQ(back.device->before.values(), answer.device->before.values());
  EXPECT_EQ(back.device->after.values(), answer.device->after.values());
}

TEST(Messages, ABlockCarriesTheMemoryOfItsSubject) {
  BlockDone answer;
  EXPECT_FALSE(answer_back<BlockDone>(to_line(envelope, answer)).memory);
  answer.memory.emplace();
  answer.memory->allocated_bytes = 4096;
  answer.memory->peak_bytes = 9'000'000;
  answer.memory->managed_bytes = 65'536;
  answer.memory->capacity_of = "machine";
  const auto back = answer_back<BlockDone>(to_line(envelope, answer));
  ASSERT_TRUE(back.memory);
  EXPECT_EQ(to_json(*back.memory), to_json(*answer.memory));
  // Of a worker that knows of none.
  Json without = to_json(*answer.memory);
  without.erase("managed_bytes");
  EXPECT_EQ(memory_use_from_json(without, "w").managed_bytes.missing().reason, "not-applicable");
  // So that a result of before it was known is recomputed as it stands.
  EXPECT_FALSE(to_json(MemoryUse{}).contains("managed_bytes"));
  without["managed_bytes"] = {{"value", -1}};
  EXPECT_THROW(memory_use_from_json(without, "w"), Error);
}

TEST(Messages, TelemetryIsReadStrictlyButMayLackValues) {
  const auto with = [](const std::string& members) {
    return R"({"assay":1,"nonce":"n","id":7,"answer":"block","samples":[],"failures":[],)"
           R"("device":{"before":{"time_ns":1,"took_ns":1)" +
           members + R"(},"after":{"time_ns":2,"took_ns":1}}})";
  };
  const auto done = std::get<BlockDone>(answer_from_line(with("")).second);
  EXPECT_EQ(done.device->before.of(Field::sm_clock_hz).missing().reason, "not-given");
  for (const char* members :
       {R"(,"fan":{"value":1})", R"(,"sm_clock_hz":7)", R"(,"sm_clock_hz":{"value":-1})",
        R"(,"sm_clock_hz":{"value":1.5})", R"(,"sm_clock_hz":{"missing":"a;b","detail":""})"}) {
    EXPECT_THROW(answer_from_line(with(members)), Error) << members;
  }
}

KernelRuns runs_of(const std::string& kernel) {
  return {kernel, 132, 256, {0, 1500, 3000}, {1210, 1200, 1190}};
}

BlockDone with_kernels(std::vector<KernelRuns> kernels) {
  BlockDone answer;
  answer.samples = {{"a", 3600, 99, "", std::move(kernels)}, {"b", 5, 120, ""}};
  return answer;
}

TEST(Messages, KernelsOfASampleHaveThisForm) {
  const std::string line =
      to_line(envelope, with_kernels({runs_of("_Z1kv"), {"[memset]", 0, 0, {7}, {0}}}));
  EXPECT_THAT(line, HasSubstr(R"("flags":"","kernels":[{"kernel":"_Z1kv","grid":132,)"
                              R"("threads":256,"begins_ns":[0,1500,3000],)"
                              R"("durations_ns":[1210,1200,1190]},{"kernel":"[memset]","grid":0,)"
                              R"("threads":0,"begins_ns":[7],"durations_ns":[0]}]})"));
  const auto back = answer_back<BlockDone>(line);
  ASSERT_EQ(back.samples.size(), 2U);
  ASSERT_EQ(back.samples[0].kernels.size(), 2U);
  const KernelRuns& runs = back.samples[0].kernels[0];
  EXPECT_EQ(runs.kernel, "_Z1kv");
  EXPECT_EQ(runs.grid, 132);
  EXPECT_EQ(runs.threads, 256);
  EXPECT_EQ(runs.begins_ns, (std::vector<std::int64_t>{0, 1500, 3000}));
  EXPECT_EQ(runs.durations_ns, (std::vector<std::int64_t>{1210, 1200, 1190}));
  EXPECT_EQ(back.samples[0].kernels[1].kernel, "[memset]");
  EXPECT_TRUE(back.samples[1].kernels.empty());
}

// What is said of an answer with this member of the first kernel.
std::string refusal_of_kernel(const std::string& member, const Json& value) {
  std::string line = to_line(envelope, with_kernels({runs_of("k")}));
  Json json = Json::parse(line);
  json["samples"][0]["kernels"][0][member] = value;
  try {
    answer_from_line(json.dump());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::worker);
    return error.what();
  }
  return "no error";
}

TEST(Messages, KernelsThatCannotBeAreRefused) {
  EXPECT_EQ(refusal_of_kernel("grid", 1), "no error");
  const std::string place = "samples[0].kernels[0]";
  for (const auto& [member, value] :
       std::vector<std::pair<std::string, Json>>{{"begins_ns", Json::array()},
                                                 {"begins_ns", {0, 1500}},
                                                 {"begins_ns", {-1, 1500, 3000}},
                                                 {"durations_ns", {1210, 1200, -1190}},
                                                 {"durations_ns", {1, 2, 3, 4}},
                                                 {"grid", -1},
                                                 {"threads", -256}}) {
    EXPECT_THAT(refusal_of_kernel(member, value), HasSubstr(place)) << member << value;
  }
  for (const auto& [member, value] :
       std::vector<std::pair<std::string, Json>>{{"begins_ns", {0, 1.5, 2}},
                                                 {"begins_ns", {0, "1", 2}},
                                                 {"durations_ns", {1, 2, 1e30}},
                                                 {"durations_ns", "none"},
                                                 {"grid", nullptr},
                                                 {"kernel", 5},
                                                 {"kernel", "two\nlines"},
                                                 {"color", "red"}}) {
    EXPECT_NE(refusal_of_kernel(member, value), "no error") << member << value;
  }
}

TEST(Messages, KernelsThatAreNoListAreRefused) {
  for (const Json& kernels : {Json(5), Json("k"), Json{{"kernel", "k"}}, Json::array({1})}) {
    Json json = Json::parse(to_line(envelope, with_kernels({})));
    json["samples"][0]["kernels"] = kernels;
    EXPECT_THROW(answer_from_line(json.dump()), Error) << kernels;
  }
}

TEST(Messages, FailuresAreCarried) {
  BlockDone answer;
  experiment::Failure failure;
  failure.kind = experiment::failure::subject_error;
  failure.message = "it threw";
  failure.stage = "block";
  failure.trial = 2;
  failure.subject = "a";
  answer.failures = {failure};
  const auto back = answer_back<BlockDone>(to_line(envelope, answer));
  ASSERT_EQ(back.failures.size(), 1U);
  EXPECT_EQ(back.failures[0].message, "it threw");
  EXPECT_EQ(back.failures[0].trial, 2);
}

TEST(Messages, RefusedHasThisForm) {
  const std::string line = to_line(envelope, Refused{"usage", "no such cell", "a"});
  EXPECT_EQ(line, R"({"assay":1,"nonce":"n0nce","id":7,"error":"usage","message":"no such cell",)"
                  R"("subject":"a"})"
                  "\n");
  const auto back = answer_back<Refused>(line);
  EXPECT_EQ(back.kind, "usage");
  EXPECT_EQ(back.message, "no such cell");
  EXPECT_EQ(back.subject, "a");
}

TEST(Messages, IdledAndEndedComeBack) {
  answer_back<Idled>(to_line(envelope, Answer(Idled{})));
  answer_back<Ended>(to_line(envelope, Answer(Ended{})));
}

TEST(Messages, ADescriptionComesBack) {
  experiment::ProgramDescription description;
  description.program = "demo";
  description.device = {"cpu", "some processor", {}};
  description.boundaries = {"call"};
  experiment::ProblemDescription problem;
  problem.name = "sum";
  description.problems = {problem};
  const auto back = answer_back<experiment::ProgramDescription>(to_line(envelope, description));
  EXPECT_EQ(back.program, "demo");
  ASSERT_EQ(back.problems.size(), 1U);
  EXPECT_EQ(back.problems[0].name, "sum");
}

TEST(Messages, BytesThatAreNoTextAreReplacedNotFatal) {
  const std::string line =
      to_line(envelope, Refused{"subject", "bad \xff byte\nand a newline", ""});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_THAT(answer_back<Refused>(line).message, HasSubstr("and a newline"));
}

TEST(Messages, ANumberThatIsNotFiniteIsRefused) {
  BlockDone answer;
  answer.samples = {{"a", std::numeric_limits<double>::quiet_NaN(), 0, "", {}}};
  const std::string line = to_line(envelope, answer);
  EXPECT_THROW(answer_from_line(std::string_view(line).substr(0, line.size() - 1)), Error);
}

TEST(Messages, GarbageIsQuotedInTheError) {
  EXPECT_THAT(message_of("hello there"), HasSubstr("'hello there'"));
  EXPECT_THAT(message_of(std::string(1000, 'x')), HasSubstr(std::string(120, 'x') + "…"));
}

TEST(Messages, AnUnknownKeyIsRefused) {
  EXPECT_THAT(message_of(R"({"assay":1,"nonce":"n","id":1,"ask":"idle","extra":1})"),
              HasSubstr("unknown key 'extra'"));
}

TEST(Messages, AnUnknownRequestIsRefused) {
  EXPECT_THAT(message_of(R"({"assay":1,"nonce":"n","id":1,"ask":"dance"})"), HasSubstr("'dance'"));
}

TEST(Messages, AnotherVersionIsNamed) {
  EXPECT_THAT(message_of(R"({"assay":2,"nonce":"n","id":1,"ask":"idle"})"),
              HasSubstr("version 2 of the protocol"));
}

TEST(Messages, AMissingKeyIsNamed) {
  EXPECT_THAT(message_of(R"({"assay":1,"nonce":"n","id":1,"ask":"check","kind":"before"})"),
              HasSubstr("'subjects'"));
}

TEST(Messages, AKeyOfAnotherTypeIsRefused) {
  EXPECT_THAT(
      message_of(
          R"({"assay":1,"nonce":"n","id":1,"ask":"check","kind":"before","subjects":[1],"content_key":"0000000000000001"})"),
      HasSubstr("subjects[0]"));
}

TEST(Messages, AContentKeyMustBeSixteenHexadecimalDigits) {
  for (const char* key : {"1", "000000000000000g", "00000000000000001", ""}) {
    EXPECT_THAT(
        message_of(
            R"({"assay":1,"nonce":"n","id":1,"ask":"check","kind":"before","subjects":[],"content_key":")" +
            std::string(key) + "\"}"),
        HasSubstr("16 hexadecimal digits"));
  }
}

TEST(Messages, ABlockWithoutIterationsIsRefused) {
  Block request;
  request.iterations = 0;
  const std::string line = to_line(envelope, request);
  EXPECT_THAT(message_of(std::string_view(line).substr(0, line.size() - 1)),
              HasSubstr("at least 1"));
}

}  // namespace

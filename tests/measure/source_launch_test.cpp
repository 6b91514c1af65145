// SPDX-License-Identifier: MIT
#include "assay/measure/source_launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "assay/measure/cell.hpp"
#include "assay/measure/checker.hpp"
#include "script_device.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What a device was asked, in order.
struct Log {
  std::vector<std::string> events;
  std::vector<device::SourceKernel> loaded;
};

// Its kernel copies x to y: parameters (float* x, float* y, int n).
class Kernel final : public device::LoadedKernel {
 public:
  explicit Kernel(Log* log) : log_(log) {
    origin_.kernel = "copy";
    origin_.cubin_sha256 = std::string(64, 'b');
    origin_.compile_ns = 77;
    resources_.registers = 20;
  }
  ~Kernel() override { log_->events.emplace_back("unload"); }
  void allow(const Dim3& grid, const Dim3& block, std::int64_t shared_bytes) override {
    log_->events.push_back("allow " + std::to_string(grid.x) + " " + std::to_string(block.x) + " " +
                           std::to_string(shared_bytes));
  }
  void launch(const Dim3& grid, const Dim3& block, std::int64_t shared_bytes, void*,
              void** arguments) override {
    log_->events.push_back("launch " + std::to_string(grid.x) + " " + std::to_string(block.x) +
                           " " + std::to_string(shared_bytes));
    const float* x = *static_cast<const float**>(arguments[0]);
    float* y = *static_cast<float**>(arguments[1]);
    for (int i = 0; i < *static_cast<int*>(arguments[2]); ++i) y[i] = x[i];
  }
  const device::KernelOrigin& origin() const override { return origin_; }
  const device::KernelResources& resources() const override { return resources_; }
  const Reading<std::vector<std::int64_t>>& parameter_bytes() const override {
    return parameter_bytes_;
  }
  Reading<device::Occupancy> occupancy(const Dim3&, std::int64_t) const override {
    return device::Occupancy{4, 32, 0.5, std::string("registers")};
  }

 private:
  Log* log_;
  device::KernelOrigin origin_;
  device::KernelResources resources_;
  Reading<std::vector<std::int64_t>> parameter_bytes_ = std::vector<std::int64_t>{8, 8, 4};
};

class Code final : public device::KernelCode {
 public:
  explicit Code(Log* log) : log_(log) {}
  std::unique_ptr<device::LoadedKernel> load() const override {
    log_->events.emplace_back("load");
    return std::make_unique<Kernel>(log_);
  }

 private:
  Log* log_;
};

class Loading final : public device::Fake {
 public:
  explicit Loading(Log* log)
      : Fake(device::parse_script(
            R"({"assay_fake": 1, "call_ns": 1000, "timers": [{"name": "scripted",
                                    "boundaries": ["call", "cold-start"]}]})",
            "script")),
        log_(log) {}
  std::unique_ptr<device::KernelCode> compile(const device::SourceKernel& kernel) override {
    log_->events.emplace_back("compile");
    log_->loaded.push_back(kernel);
    return std::make_unique<Code>(log_);
  }
  device::Measured measure(device::Invocation& invocation, std::int64_t iterations,
                           const std::string& timer) override {
    log_->events.push_back("measure " + std::to_string(iterations));
    return Fake::measure(invocation, iterations, timer);
  }

 private:
  Log* log_;
};

CudaSource copying() {
  return CudaSource::text("the text", "copy.cu")
      .kernel([](const Case& c) { return "copy<" + c.id() + ">"; })
      .options({"-DX", "-DY"})
      .grid([](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.integer("n") / 4)}; })
      .block(Dim3{4})
      .shared_bytes(16)
      .arguments([](Context& c) {
        return Arguments(c.input<float>("x"), c.output<float>("y"),
                         static_cast<int>(c.integer("n")));
      });
}

struct SourceLaunchTest : testing::Test {
  SourceLaunchTest() {
    problem.axis("n", AxisValues{16});
    problem.input("x", [](const Case& c) { return Tensor::f32({c.integer("n")}); });
    problem.output("y", [](const Case& c) { return Tensor::f32({c.integer("n")}); });
  }
  std::unique_ptr<Cell> cold_cell(bool is_untouched) {
    wire::Prepare request;
    request.cell = {"p", Case::parse("n=16"), "fresh", "cold-start"};
    request.subjects = {"source"};
    request.content_key = 5;
    return std::make_unique<Cell>(problem, device, mark, request,
                                  std::vector<std::string>{"scripted"}, is_untouched);
  }
  std::unique_ptr<Cell> cell(device::Device& of) {
    wire::Prepare request;
    request.cell = {"p", Case::parse("n=16"), "warm", "call"};
    request.subjects = {"source"};
    request.baseline = "source";
    request.content_key = 5;
    request.timer = "scripted";
    return std::make_unique<Cell>(problem, of, mark, request, std::vector<std::string>{"scripted"});
  }
  std::string failure(device::Device& of) {
    const auto prepared = cell(of)->prepare();
    return prepared.failures.empty() ? "no failure" : prepared.failures.front().message;
  }
  Program program;
  Problem& problem = program.problem("p").unchecked();
  Log log;
  Loading device{&log};
  wire::Mark mark = wire::Mark::create();
};

TEST_F(SourceLaunchTest, IsLoadedWithinTheIntervalOfAFirstCall) {
  problem.cuda_source("source", copying())
      .prepare([&](Context&) { log.events.emplace_back("prepare"); }, 1);
  const auto ready = cold_cell(true);
  EXPECT_THAT(ready->prepare().generated, IsEmpty()) << "what is not loaded is not known whole";
  EXPECT_THAT(log.events, ElementsAre("compile", "prepare"));
  EXPECT_FALSE(ready->startup()[StartupPhase::load].has_value());
  wire::Block block;
  block.order = {"source"};
  block.phase = "measure";
  const auto done = ready->block(block);
  ASSERT_EQ(done.samples.size(), 1U);
  EXPECT_THAT(log.events, ElementsAre("compile", "prepare", "measure 1", "load", "allow 4 4 16",
                                      "launch 4 4 16"));
  const Startup& startup = ready->startup();
  EXPECT_TRUE(startup[StartupPhase::compile].has_value());
  EXPECT_TRUE(startup[StartupPhase::prepare].has_value());
  EXPECT_TRUE(startup[StartupPhase::load].has_value());
  EXPECT_TRUE(startup[StartupPhase::call].has_value());
}

TEST_F(SourceLaunchTest, IsLoadedAtOnceWhereNoFirstCallComes) {
  problem.cuda_source("source", copying());
  const auto ready = cold_cell(false);
  EXPECT_EQ(ready->prepare().generated.size(), 1U);
  EXPECT_THAT(log.events, ElementsAre("compile", "load", "allow 4 4 16"));
}

TEST_F(SourceLaunchTest, IsMadeReadyOnceBeforeTheFirstLaunch) {
  problem.cuda_source("source", copying())
      .prepare([&](Context&) { log.events.emplace_back("prepare"); }, 1);
  const auto ready = cell(device);
  const wire::Prepared prepared = ready->prepare();
  EXPECT_THAT(prepared.failures, IsEmpty());
  EXPECT_THAT(log.events, ElementsAre("compile", "load", "allow 4 4 16", "prepare"));
  ASSERT_EQ(log.loaded.size(), 1U);
  EXPECT_EQ(log.loaded[0].source, "the text");
  EXPECT_EQ(log.loaded[0].file_name, "copy.cu");
  EXPECT_EQ(log.loaded[0].kernel, "copy<n=16>");
  EXPECT_THAT(log.loaded[0].options, ElementsAre("-DX", "-DY"));

  log.events.clear();
  wire::Block block;
  block.order = {"source", "control"};
  block.phase = "measure";
  EXPECT_THAT(ready->block(block).failures, IsEmpty());
  // One untimed call before each sample, and nothing but launches.
  EXPECT_THAT(log.events, ElementsAre("launch 4 4 16", "measure 1", "launch 4 4 16",
                                      "launch 4 4 16", "measure 1", "launch 4 4 16"));
}

TEST_F(SourceLaunchTest, RunsItsKernelOnTheCellsMemoryAsOftenAsAsked) {
  problem.cuda_source("source", copying());
  const auto ready = cell(device);
  ready->prepare();
  const Cell::Member& member = ready->member("source");
  log.events.clear();
  member.subject->loop(ready->which()).run(*member.context, 3);
  EXPECT_EQ(log.events.size(), 3U);
  const auto x = member.context->input<float>("x");
  const auto y = member.context->output<float>("y");
  for (int i = 0; i < 16; ++i) EXPECT_EQ(y[i], x[i]);
}

// Adversarial inputs lie in memory of their own: what is launched there is made ready again.
TEST_F(SourceLaunchTest, IsMadeReadyForEveryInputThatItIsCheckedOn) {
  Problem& checked = program.problem("checked");
  checked.axis("n", AxisValues{16});
  checked.input("x", [](const Case& c) { return Tensor::f32({c.integer("n")}); });
  checked.output("y", [](const Case& c) { return Tensor::f32({c.integer("n")}); });
  checked.reference([](ReferenceCall& call) { call.output("y") = call.input("x"); });
  checked.tolerance(Tolerance::exact());
  checked.cuda_source("source", copying());
  wire::Prepare request;
  request.cell = {"checked", Case::parse("n=16"), "warm", "call"};
  request.subjects = {"source"};
  request.baseline = "source";
  request.content_key = 5;
  request.timer = "scripted";
  Cell ready(checked, device, mark, request, {"scripted"});
  ready.prepare();
  Checker checker;
  const auto results =
      checker.check(ready, {"adversarial", {"source"}, 7}, {Case::parse("n=16")}).results;
  EXPECT_GT(results.size(), 3U);
  for (const experiment::CheckResult& result : results) {
    EXPECT_TRUE(result.passed || !result.applicable) << result.content << ": " << result.reason;
  }
}

TEST_F(SourceLaunchTest, TellsWhatWasMade) {
  problem.cuda_source("source", copying());
  const wire::Prepared prepared = cell(device)->prepare();
  ASSERT_EQ(prepared.generated.size(), 1U);
  const wire::Generated& generated = prepared.generated.front();
  EXPECT_EQ(generated.subject, "source");
  EXPECT_EQ(generated.cubin_sha256, std::string(64, 'b'));
  EXPECT_EQ(generated.compile_ns, 77);
  EXPECT_THAT(generated.grid, ElementsAre(4, 1, 1));
  EXPECT_THAT(generated.block, ElementsAre(4, 1, 1));
  EXPECT_EQ(generated.dynamic_shared_bytes, 16);
  EXPECT_EQ(*generated.registers, 20);
  EXPECT_FALSE(generated.spill_store_bytes.has_value());
  EXPECT_DOUBLE_EQ(*generated.occupancy_frac, 0.5);
  EXPECT_EQ(*generated.occupancy_limited_by, "registers");
  // Compiling is no preparation of the user's.
  EXPECT_THAT(prepared.preparations, IsEmpty());
}

TEST_F(SourceLaunchTest, RefusesArgumentsThatDoNotFitTheParameters) {
  problem.cuda_source("source", copying().arguments([](Context& c) {
    return Arguments(c.input<float>("x"), c.output<float>("y"), c.integer("n"));
  }));
  EXPECT_THAT(failure(device), HasSubstr("these are 8, 8, 4 bytes, given were 8, 8, 8 bytes"));
  EXPECT_EQ(log.events.back(), "unload");
}

TEST_F(SourceLaunchTest, IsAFailureOfTheSubjectOnAnotherDevice) {
  problem.cuda_source("source", copying());
  device::Fake fake = fake_of();
  EXPECT_THAT(failure(fake), HasSubstr("the device fake cannot run CUDA source"));
}

TEST_F(SourceLaunchTest, ReadsAFileWhereTheProgramRunsOrBesideIt) {
  const std::string name = "assay-source-test-" + std::to_string(getpid()) + ".cu";
  problem.cuda_source("source", CudaSource::file(name).kernel("copy").arguments([](Context& c) {
    return Arguments(c.input<float>("x"), c.output<float>("y"), 16);
  }));
  const std::string message = failure(device);
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  const auto here = std::filesystem::current_path() / name;
  EXPECT_THAT(message, HasSubstr(here.string()));
  EXPECT_THAT(message, HasSubstr(beside.string()));

  std::ofstream(beside) << "beside";
  EXPECT_EQ(failure(device), "no failure");
  EXPECT_EQ(log.loaded.back().source, "beside");
  EXPECT_EQ(log.loaded.back().file_name, beside.string());
  if (here != beside) {
    std::ofstream(here) << "here";
    EXPECT_EQ(failure(device), "no failure");
    EXPECT_EQ(log.loaded.back().source, "here");
    std::filesystem::remove(here);
  }
  std::filesystem::remove(beside);
}

TEST_F(SourceLaunchTest, NeedsTheNameOfAKernel) {
  problem.cuda_source("source", CudaSource::text("the text", "copy.cu"));
  EXPECT_THAT(failure(device), HasSubstr("copy.cu has no kernel named to it"));
}

TEST(Arguments, KeepTheirValuesWhereverTheyAreMoved) {
  struct Large {
    double values[20];
  };
  Large large{};
  large.values[19] = 3.5;
  float element = 1;
  const Tensor tensor = Tensor::f32({1});
  Arguments made(std::int8_t{-3}, large, View<float>(&element, &tensor), 2.5F);
  Arguments moved = std::move(made);
  EXPECT_THAT(moved.sizes_bytes(), ElementsAre(1, 160, 8, 4));
  const std::vector<void*> at = moved.pointers();
  ASSERT_EQ(at.size(), 4U);
  EXPECT_EQ(*static_cast<std::int8_t*>(at[0]), -3);
  EXPECT_EQ(static_cast<Large*>(at[1])->values[19], 3.5);
  EXPECT_EQ(*static_cast<float**>(at[2]), &element);
  EXPECT_EQ(*static_cast<float*>(at[3]), 2.5F);
}

}  // namespace

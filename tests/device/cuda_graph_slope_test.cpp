// SPDX-License-Identifier: MIT
//
// What a call takes by two graphs, on a stand-in for the driver whose device takes as long as the
// test says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "assay/device/cuda/call.hpp"
#include "assay/device/cuda/graph_slope.hpp"
#include "assay/device/cuda/library.hpp"
#include "fake_driver.hpp"

namespace {

using namespace assay;
using namespace assay::device;
using namespace assay::device::cuda;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class GraphSlopeTest : public testing::Test {
 protected:
  GraphSlopeTest() { work() = {}; }
  ~GraphSlopeTest() override {
    EXPECT_EQ(work().capturing, nullptr) << "a stream was left unusable";
  }

  static FakeWork& work() {
    static const Reading<Library> library = Library::open({FAKE_DRIVER_WORKING});
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): that is what dlsym gives
    static const auto of_library = reinterpret_cast<FakeWorkFunction>(library->find("fake_work"));
    return *of_library();
  }
  static const Driver& driver() {
    static const Reading<Driver> loaded = load_driver({FAKE_DRIVER_WORKING});
    return *loaded;
  }

  // NOLINTNEXTLINE(performance-no-int-to-ptr): a handle that nobody follows
  CUstream stream = reinterpret_cast<CUstream>(std::uintptr_t{0x51});

  CUresult fill() { return driver().cuMemsetD32Async(0, 0, 1, stream); }
  CUresult copy() { return driver().cuMemcpyDtoDAsync(0, 0, 1, stream); }

  Measured measure(const std::function<void()>& call, std::int64_t iterations,
                   const std::string& subject = "a") {
    Call invocation(call);
    return slope.measure({"p", "-", subject}, invocation, iterations, [&](CUgraphExec graph) {
      const double before_ns = work().clock_ns;
      driver().check(driver().cuGraphLaunch(graph, stream), "cuGraphLaunch");
      const double interval_ns = work().clock_ns - before_ns;
      return GraphSlope::Launched{scatter ? scatter(interval_ns) : interval_ns, is_held_back};
    });
  }
  std::string refusal_of(const std::function<void()>& call) {
    try {
      measure(call, 5);
    } catch (const DeviceLost&) {
      ADD_FAILURE() << "the device is not lost";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }

  GraphSlope slope{driver(), stream};
  std::function<double(double)> scatter;
  bool is_held_back = true;
};

TEST_F(GraphSlopeTest, WhatDoesNotGrowWithTheCallsCancels) {
  const Measured measured = measure([&] { fill(), copy(); }, 100);
  EXPECT_DOUBLE_EQ(measured.interval_ns, 100 * 2 * 1000.0);
  EXPECT_EQ(measured.flags, "");
  EXPECT_GT(measured.start_ns, 0);
  work().launch_ns = 1e6;
  EXPECT_DOUBLE_EQ(measure([&] { fill(), copy(); }, 100).interval_ns, 100 * 2 * 1000.0);
}

TEST_F(GraphSlopeTest, EachGraphIsUploadedAndWarmedBeforeItIsTimed) {
  measure([&] { fill(); }, 8);
  // Each once when it is made, then the two that are timed.
  EXPECT_THAT(work().launches, ElementsAre(2, 10, 2, 10));
  EXPECT_EQ(work().uploaded.size(), 2U);
  EXPECT_EQ(work().at_once, 1) << "a first call outside of any capture";
  EXPECT_EQ(work().mode, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_TRUE(work().graphs.empty()) << "a graph serves only until it is executable";
}

TEST_F(GraphSlopeTest, IsCapturedOnceForEachSubjectAndNumberOfCalls) {
  measure([&] { fill(); }, 8);
  measure([&] { fill(); }, 8);
  EXPECT_EQ(work().captures, 2);
  EXPECT_EQ(work().at_once, 1);
  measure([&] { fill(), fill(); }, 8, "b");
  EXPECT_EQ(work().captures, 4);
  EXPECT_DOUBLE_EQ(measure([&] { fill(), fill(); }, 8, "b").interval_ns, 16000);
  measure([&] { fill(); }, 16);
  EXPECT_EQ(work().captures, 5) << "the graph of few calls serves every number";
  EXPECT_EQ(work().executables.size(), 4U) << "that of another number is given up";
}

TEST_F(GraphSlopeTest, IsCapturedAnewInAnotherCell) {
  measure([&] { fill(); }, 8);
  slope.forget();
  EXPECT_TRUE(work().executables.empty());
  EXPECT_DOUBLE_EQ(measure([&] { fill(), fill(); }, 8).interval_ns, 16000);
  EXPECT_EQ(work().captures, 4);
}

TEST_F(GraphSlopeTest, MoreCallsThanAGraphTakesAreSeveralLaunches) {
  const Measured measured = measure([&] { fill(); }, 2500);
  EXPECT_DOUBLE_EQ(measured.interval_ns, 2500 * 1000.0);
  EXPECT_EQ(measured.flags, "");
  for (const std::size_t nodes : work().launches) EXPECT_LE(nodes, 1024U);
  EXPECT_EQ(work().captures, 3);
  work().launches.clear();
  measure([&] { fill(); }, 2500);
  EXPECT_THAT(work().launches, ElementsAre(2, 1024, 2, 1024, 2, 458));
}

TEST_F(GraphSlopeTest, ACallOfMoreNodesThanThatIsLaunchedOneByOne) {
  const auto call = [&] {
    for (int i = 0; i < 2000; ++i) fill();
  };
  EXPECT_DOUBLE_EQ(measure(call, 3).interval_ns, 3 * 2000 * 1000.0);
}

TEST_F(GraphSlopeTest, ASlopeThatIsNoneIsToldAndNotClamped) {
  int launches = 0;
  scatter = [&](double interval_ns) { return ++launches == 1 ? 20000 : interval_ns; };
  const Measured measured = measure([&] { fill(); }, 5);
  EXPECT_DOUBLE_EQ(measured.interval_ns, 7000 + 7 * 1000 - 20000);
  EXPECT_EQ(measured.flags, "no-slope");
  work().node_ns = 0;
  scatter = nullptr;
  EXPECT_EQ(measure([&] { fill(); }, 5).interval_ns, 0);
  EXPECT_EQ(measure([&] { fill(); }, 5).flags, "no-slope");
}

TEST_F(GraphSlopeTest, CallsThatAreNotTheSameWorkAreFlagged) {
  int calls = 0;
  const auto changing = [&] {
    fill();
    if (++calls % 3 == 0) fill();
  };
  EXPECT_EQ(measure(changing, 6).flags, "uneven-work");
}

TEST_F(GraphSlopeTest, ALaunchThatWasNotHeldBackIsFlaggedAndTheNextOneSmaller) {
  is_held_back = false;
  EXPECT_EQ(measure([&] { fill(); }, 100).flags, "gate-timeout");
  is_held_back = true;
  work().launches.clear();
  EXPECT_EQ(measure([&] { fill(); }, 100).flags, "");
  EXPECT_THAT(work().launches, ElementsAre(27, 2, 27, 2, 27, 2, 27, 2, 27));
}

TEST_F(GraphSlopeTest, ACallThatWaitsIsRefusedWithWhatCudaSaidAndWhatToDo) {
  const std::string message = refusal_of([&] {
    fill();
    driver().cuStreamSynchronize(stream);
  });
  EXPECT_THAT(message, AllOf(HasSubstr("cuStreamEndCapture: FAKE_ERROR (901)"),
                             HasSubstr("timer = \"cupti\" or \"events\""),
                             Not(HasSubstr("the subject said"))));
  EXPECT_EQ(work().capturing, nullptr);
  // Nothing of it is left behind: others go on.
  EXPECT_TRUE(work().graphs.empty());
  EXPECT_DOUBLE_EQ(measure([&] { fill(); }, 5, "b").interval_ns, 5000);
}

TEST_F(GraphSlopeTest, ACallThatThrowsBecauseOfTheCaptureIsQuoted) {
  EXPECT_THAT(
      refusal_of([&] {
        CUdeviceptr memory = 0;
        driver().check(driver().cuMemAlloc(&memory, 1), "cuMemAlloc");
      }),
      AllOf(HasSubstr("(901)"), HasSubstr("the subject said: cuMemAlloc: FAKE_ERROR (900)")));
}

TEST_F(GraphSlopeTest, WhatACallThrowsWhileItIsCapturedIsQuotedAndEndsTheCapture) {
  int calls = 0;
  const auto call = [&] {
    fill();
    if (++calls > 1) throw std::logic_error("mine");
  };
  EXPECT_THAT(refusal_of(call), AllOf(HasSubstr("the subject said: mine"), HasSubstr("\"cupti\"")));
  EXPECT_EQ(work().capturing, nullptr);
  EXPECT_TRUE(work().graphs.empty());
}

TEST_F(GraphSlopeTest, WhatTheFirstCallThrowsGoesThrough) {
  EXPECT_THROW(measure([] { throw std::logic_error("mine"); }, 5), std::logic_error);
  EXPECT_EQ(work().captures, 0);
  int calls = 0;
  const auto lost = [&] {
    if (++calls > 1) throw DeviceLost("gone");
  };
  EXPECT_THROW(measure(lost, 5), DeviceLost);
}

TEST_F(GraphSlopeTest, ACallThatPutsNothingOnTheStreamIsRefused) {
  EXPECT_THAT(refusal_of([] {}), HasSubstr("did nothing on the device"));
  // On another queue it would run while it is captured, and never when the graph does.
  EXPECT_THAT(refusal_of([&] { driver().cuMemsetD32Async(0, 0, 1, nullptr); }),
              HasSubstr("launch on it"));
  // Nor is a mark in the queue work.
  EXPECT_THAT(refusal_of([&] { driver().cuEventRecord(nullptr, stream); }),
              HasSubstr("did nothing on the device"));
  EXPECT_TRUE(work().graphs.empty());
}

TEST_F(GraphSlopeTest, AGraphThatCannotBeMadeIsRefused) {
  work().of_instantiate = CUDA_ERROR_NOT_SUPPORTED;
  EXPECT_THAT(refusal_of([&] { fill(); }),
              AllOf(HasSubstr("cuGraphInstantiate: FAKE_ERROR (801)"), HasSubstr("\"events\"")));
  EXPECT_TRUE(work().graphs.empty());
}

TEST_F(GraphSlopeTest, AFaultOfTheDeviceLosesIt) {
  work().of_synchronize = CUDA_ERROR_ILLEGAL_ADDRESS;
  EXPECT_THROW(measure([&] { fill(); }, 5), DeviceLost);
  work().of_synchronize = CUDA_SUCCESS;
  work().of_end_of_capture = CUDA_ERROR_ILLEGAL_ADDRESS;
  EXPECT_THROW(measure([&] { fill(); }, 5), DeviceLost);
}

TEST_F(GraphSlopeTest, AStreamThatStaysInTheCaptureIsLost) {
  work().never_leaves_capture = true;
  EXPECT_THROW(measure([&] { driver().cuStreamSynchronize(stream), fill(); }, 5), DeviceLost);
  work().capturing = nullptr;
}

}  // namespace

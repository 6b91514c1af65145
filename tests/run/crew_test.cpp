// SPDX-License-Identifier: MIT
//
// How often a crew that does not start is tried again, and for how long.
#include "assay/run/crew.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "assay/base/json.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
namespace failure = experiment::failure;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;

class CrewStart : public testing::Test {
 protected:
  CrewStart()
      : directory_(fs::temp_directory_path() / ("assay-crew-test-" + std::to_string(getpid()))) {
    fs::create_directories(directory_);
  }
  ~CrewStart() override { fs::remove_all(directory_); }

  fs::path file(const std::string& text, fs::perms permissions) {
    const fs::path path = directory_ / "program";
    std::ofstream(path) << text;
    fs::permissions(path, permissions);
    return path;
  }

  Session session_of(const fs::path& program) {
    record::Evidence evidence;
    experiment::Plan& plan = evidence.plan;
    plan.name = "crew";
    plan.protocol.boundaries = {"call"};
    plan.protocol.timeout_s = 20;
    plan.builds = {{}};
    plan.builds.front().name = "program";
    plan.builds.front().program = program;
    plan.descriptions = {{}};
    experiment::Cell cell;
    cell.boundary = "call";
    cell.timer = "monotonic";
    plan.cells = {cell};
    record::Writer writer =
        record::Writer::create(directory_ / "records", "crew", "20261130T000000Z",
                               json_text(to_json(plan)), "2026-11-30T00:00:00+00:00", "");
    Hooks hooks;
    hooks.pause = [this](std::chrono::milliseconds time) { pauses_ms_.push_back(time.count()); };
    return Session(std::move(writer), std::move(evidence), std::move(hooks));
  }

  static Step step_of(Session& session) {
    const auto started = Crew::start(session, 1, {"call"});
    const auto* step = std::get_if<Step>(&started);
    EXPECT_NE(step, nullptr);
    return step == nullptr ? Step::done : *step;
  }

  static std::vector<std::string> failures_of(const Session& session) {
    std::vector<std::string> kinds;
    for (const auto& each : session.evidence.checks.failures) kinds.push_back(each.kind);
    return kinds;
  }

  fs::path directory_;
  std::vector<std::int64_t> pauses_ms_;
};

TEST_F(CrewStart, AWorkerThatDoesNotStartIsTriedFourTimes) {
  Session session = session_of("/bin/false");
  EXPECT_EQ(step_of(session), Step::hopeless);
  EXPECT_EQ(failures_of(session), std::vector<std::string>(4, failure::not_a_program));
  EXPECT_THAT(pauses_ms_, ElementsAre(50, 250, 1000));
}

TEST_F(CrewStart, AMissingProgramIsHopelessAtOnce) {
  Session session = session_of(directory_ / "nowhere");
  EXPECT_EQ(step_of(session), Step::hopeless);
  EXPECT_THAT(failures_of(session), ElementsAre(failure::missing_program));
  EXPECT_THAT(pauses_ms_, IsEmpty());
}

TEST_F(CrewStart, AProgramThatIsNotExecutableIsHopelessAtOnce) {
  Session session = session_of(file("#!/bin/sh\n", fs::perms::owner_read));
  EXPECT_EQ(step_of(session), Step::hopeless);
  EXPECT_THAT(failures_of(session), ElementsAre(failure::missing_program));
}

TEST_F(CrewStart, WhatTheSystemCannotStartNowIsNotMissing) {
  // A file that is open for writing is not executed: ETXTBSY, as while it is being linked.
  const fs::path program = directory_ / "program";
  fs::copy_file("/bin/true", program);
  const int writer = open(program.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  Session session = session_of(program);
  EXPECT_EQ(step_of(session), Step::hopeless);
  close(writer);
  EXPECT_EQ(failures_of(session), std::vector<std::string>(4, failure::not_started));
  EXPECT_THAT(session.evidence.checks.failures.front().message,
              Not(HasSubstr("Build the program")));
}

TEST_F(CrewStart, WaitsNoLongerThanTheBudgetLasts) {
  Session session = session_of("/bin/false");
  session.budget_s = 0;
  EXPECT_EQ(step_of(session), Step::budget_spent);
  EXPECT_THAT(failures_of(session), ElementsAre(failure::not_a_program));
  EXPECT_THAT(pauses_ms_, IsEmpty());
}

TEST_F(CrewStart, APauseEndsWithTheBudget) {
  Session session = session_of("/bin/false");
  constexpr std::int64_t budget_ms = 400;
  session.budget_s = 0.4;
  step_of(session);
  EXPECT_THAT(pauses_ms_, Each(Le(budget_ms)));
}

}  // namespace
}  // namespace assay::run

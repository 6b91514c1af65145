// SPDX-License-Identifier: MIT
#include "assay/measure/quick_look.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <memory>
#include <ostream>

#include "assay/base/counted.hpp"
#include "assay/base/time.hpp"
#include "assay/device/device.hpp"
#include "assay/measure/cell.hpp"
#include "assay/measure/checker.hpp"
#include "assay/measure/describe.hpp"

namespace assay::measure {
namespace {

constexpr int samples = 7;
constexpr double sample_ns = 5e5;
constexpr std::uint64_t content_key = 1;

std::string time_text(double ns) {
  static constexpr std::array<std::pair<double, const char*>, 4> units{
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  const auto* unit = std::find_if(units.begin(), units.end() - 1,
                                  [&](const auto& candidate) { return ns >= candidate.first; });
  const double value = ns / unit->first;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s",
                value >= 100  ? 0
                : value >= 10 ? 1
                              : 2,
                value, unit->second);
  return text.data();
}

// What one subject shows in one case.
struct Line {
  std::string subject;
  std::vector<double> call_ns;
  std::string remark;
};

// Where it is looked, and how: what a plan would take if nothing else is said.
struct Place {
  std::unique_ptr<device::Device> device;
  std::string boundary;
  std::string timer;
};

Place place_on(const std::string& device_id) {
  Place place{device::open(device_id, {"", "", false}), "", ""};
  place.boundary = place.device->boundaries().front();
  for (const device::Timer& timer : place.device->timers()) {
    const auto& served = timer.boundaries;
    if (std::find(served.begin(), served.end(), place.boundary) == served.end()) continue;
    place.timer = timer.name;
    return place;
  }
  throw Error(ErrorKind::device, "the device '" + device_id + "' has no timer for the boundary '" +
                                     place.boundary + "'");
}

wire::Prepare warm_cell(const Problem& problem, const Case& the_case, const Place& place,
                        std::vector<std::string> subjects) {
  wire::Prepare request;
  request.cell = {problem.name(), the_case, "warm", place.boundary};
  request.subjects = std::move(subjects);
  request.content_key = content_key;
  request.timer = place.timer;
  return request;
}

// Nothing can be asked of a device that is lost, and the other subjects are not to blame.
wire::BlockDone block_of(Cell& cell, const wire::Block& block) {
  wire::BlockDone done = cell.block(block);
  for (const experiment::Failure& failure : done.failures) {
    if (failure.kind != experiment::failure::device_lost) continue;
    throw Error(ErrorKind::device, "the device failed under the subject '" + failure.subject +
                                       "': " + failure.message);
  }
  return done;
}

std::vector<std::string> supported_by(const Problem& problem, const Case& the_case) {
  std::vector<std::string> names;
  for (const auto& subject : problem.subjects()) {
    if (subject->is_supported(the_case)) names.push_back(subject->name());
  }
  return names;
}

// Subjects whose output is right or unchecked are measured; of the others the remark says why not.
std::vector<Line> look_at(const Problem& problem, const Case& the_case, const Place& place) {
  wire::Mark mark = wire::Mark::from_environment();
  Cell cell(problem, *place.device, mark,
            warm_cell(problem, the_case, place, supported_by(problem, the_case)), {place.timer});
  const wire::Prepared prepared = cell.prepare();
  std::vector<Line> lines;
  wire::Check check{"before", {}, 0};
  for (const std::string& name : supported_by(problem, the_case)) {
    lines.push_back({name, {}, ""});
    const auto failed = std::find_if(prepared.failures.begin(), prepared.failures.end(),
                                     [&](const auto& failure) { return failure.subject == name; });
    if (failed == prepared.failures.end()) {
      check.subjects.push_back(name);
    } else {
      lines.back().remark = failed->message;
    }
  }
  const auto line_of = [&](const std::string& name) -> Line& {
    return *std::find_if(lines.begin(), lines.end(),
                         [&](const Line& line) { return line.subject == name; });
  };
  wire::Block block;
  block.phase = "measure";
  for (const auto& result : Checker().check(cell, check, {}).results) {
    if (result.passed || !result.applicable) {
      block.order.push_back(result.subject);
    } else {
      line_of(result.subject).remark = result.reason;
    }
  }
  double longest_ns = 1;
  for (const auto& sample : block_of(cell, block).samples) {
    longest_ns = std::max(longest_ns, sample.interval_ns);
  }
  if (!prepared.max_iterations) {
    block.iterations = std::max<std::int64_t>(1, std::llround(sample_ns / longest_ns));
  }
  for (int i = 0; i < samples && !block.order.empty(); ++i) {
    const wire::BlockDone done = block_of(cell, block);
    for (const auto& sample : done.samples) {
      line_of(sample.subject)
          .call_ns.push_back(sample.interval_ns / static_cast<double>(block.iterations));
    }
    for (const auto& failure : done.failures) line_of(failure.subject).remark = failure.message;
    std::rotate(block.order.begin(), block.order.begin() + 1, block.order.end());
  }
  return lines;
}

void print(const std::vector<Line>& lines, const std::string& case_id, std::size_t case_width,
           std::size_t subject_width, std::ostream& out) {
  std::string title = case_id;
  for (const Line& line : lines) {
    out << "  " << std::left << std::setw(static_cast<int>(case_width)) << title << "  "
        << std::setw(static_cast<int>(subject_width)) << line.subject;
    title.clear();
    if (line.remark.empty() && !line.call_ns.empty()) {
      std::vector<double> sorted = line.call_ns;
      std::sort(sorted.begin(), sorted.end());
      out << "  " << std::right << std::setw(10) << time_text(sorted.front()) << "  "
          << std::setw(10) << time_text(sorted[sorted.size() / 2]);
    } else {
      out << "  not timed: " << line.remark;
    }
    out << '\n';
  }
}

}  // namespace

void quick_look(const Program& program, const std::string& program_path,
                const std::string& device_id, std::ostream& out, double budget_s) {
  expect_measurable(program);
  const Place place = place_on(device_id);
  const bool is_default = place.device->id() == default_device;
  if (!is_default) {
    out << place.device->id() << ", " << place.device->name() << ", boundary " << place.boundary
        << ", timer " << place.timer << "\n\n";
  }
  const std::int64_t start_ns = monotonic_ns();
  std::size_t left_out = 0;
  for (const Problem& problem : program.problems()) {
    const std::vector<Case> cases = product(problem.axes());
    std::size_t case_width = 4;
    std::size_t subject_width = 7;
    for (const Case& the_case : cases) case_width = std::max(case_width, the_case.id().size());
    for (const auto& subject : problem.subjects()) {
      subject_width = std::max(subject_width, subject->name().size());
    }
    out << problem.name() << (problem.is_unchecked() ? ", outputs unchecked" : ", outputs checked")
        << "\n  " << std::left << std::setw(static_cast<int>(case_width)) << "case"
        << "  " << std::setw(static_cast<int>(subject_width)) << "subject"
        << "  " << std::right << std::setw(10) << "fastest"
        << "  " << std::setw(10) << "median" << '\n';
    for (const Case& the_case : cases) {
      if (static_cast<double>(monotonic_ns() - start_ns) * 1e-9 > budget_s) {
        ++left_out;
        continue;
      }
      print(look_at(problem, the_case, place), the_case.id(), case_width, subject_width, out);
      out.flush();
    }
    out << '\n';
  }
  if (left_out > 0) {
    out << counted(left_out, "more case") << (left_out == 1 ? " was" : " were")
        << " left out after " << budget_s << " s.\n";
  }
  out << "This is a quick look, not a measurement: one process, " << samples
      << " samples, no control, no verdict.\nTo measure:  assay run " << program_path
      << (is_default ? "" : " --device " + device_id) << '\n';
}

void list(const Program& program, std::ostream& out) {
  expect_measurable(program);
  for (const Problem& problem : program.problems()) {
    out << problem.name() << (problem.is_unchecked() ? " (unchecked)" : "") << "\n  subjects:";
    for (const auto& subject : problem.subjects()) out << ' ' << subject->name();
    out << "\n  states: warm cold";
    for (const auto& [name, callback] : problem.states()) out << ' ' << name;
    out << "\n  cases:\n";
    for (const Case& the_case : product(problem.axes())) {
      out << "    " << the_case.id();
      const std::vector<std::string> names = supported_by(problem, the_case);
      if (names.size() < problem.subjects().size()) {
        out << "   (only:";
        for (const std::string& name : names) out << ' ' << name;
        out << ')';
      }
      out << '\n';
    }
  }
}

}  // namespace assay::measure

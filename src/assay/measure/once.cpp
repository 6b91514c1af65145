// SPDX-License-Identifier: MIT
#include "assay/measure/once.hpp"

#include <algorithm>
#include <charconv>
#include <ostream>

#include "assay/base/counted.hpp"
#include "assay/measure/cell.hpp"
#include "assay/measure/describe.hpp"
#include "assay/measure/perf_groups.hpp"

namespace assay::measure {
namespace {

// Inputs have the same bytes in every process, so that what is counted in two of them can be
// compared.
constexpr std::uint64_t once_content_key = 1;

[[noreturn]] void fail_usage(const std::string& message) { throw Error(ErrorKind::usage, message); }

std::int64_t calls_from(const std::string& text) {
  std::int64_t calls = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, calls);
  if (read.ec != std::errc() || read.ptr != end || calls < 1) {
    fail_usage("--calls: expected a number of at least 1, found '" + text + "'");
  }
  return calls;
}

const Problem& problem_of(const Program& program, const std::string& subject,
                          const std::string& name) {
  const bool is_qualified = name.size() < subject.size();
  const Problem* found = nullptr;
  for (const Problem& problem : program.problems()) {
    if (problem.find_subject(name) == nullptr) continue;
    if (is_qualified && problem.name() + "/" + name != subject) continue;
    if (found != nullptr) {
      fail_usage("several problems have a subject '" + name + "': say which as " + found->name() +
                 "/" + name + " or " + problem.name() + "/" + name);
    }
    found = &problem;
  }
  if (found == nullptr) fail_usage("there is no subject '" + subject + "'; --list shows them");
  return *found;
}

// A boundary is what an interval contains, and there is none here; the host's side of it needs no
// hooks in the device.
std::string boundary_of(const device::Device& device) {
  const auto all = device.boundaries();
  return std::find(all.begin(), all.end(), "call") != all.end() ? "call" : all.front();
}

bool is_option(const std::string& text) {
  return text == "--device" || text == "--state" || text == "--calls" || text == "--event" ||
         text == "--counts";
}

// For a profiler outside, which a device can tell where to begin.
class ProfiledWindow final : public CountingWindow {
 public:
  explicit ProfiledWindow(device::Device& device) : device_(device) {}
  void open() override { device_.begin_profiling(); }
  void close() override { device_.end_profiling(); }

 private:
  device::Device& device_;
};

// As they are made for counting: without a state the bare calls.
void make_calls(Cell& cell, const std::string& name, const Once& which, CountingWindow& window) {
  if (!which.state.empty()) {
    cell.count(name, which.calls, window);
    return;
  }
  const Cell::Member& member = cell.member(name);
  cell.caller().count(*member.subject, *member.context, which.calls, window,
                      cell.occasion("count", name));
}

}  // namespace

Once once_from(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) fail_usage("--once: expected SUBJECT CASE");
  Once once;
  once.subject = arguments[0];
  once.case_id = arguments[1];
  for (std::size_t i = 2; i < arguments.size(); i += 2) {
    const std::string& option = arguments[i];
    if (!is_option(option)) {
      fail_usage("--once: there is no option '" + option +
                 "': --device, --state, --calls, --event or --counts");
    }
    if (i + 1 == arguments.size()) fail_usage(option + ": expected a value after it");
    const std::string& value = arguments[i + 1];
    if (option == "--device") once.device = value;
    if (option == "--state") once.state = value;
    if (option == "--calls") once.calls = calls_from(value);
    if (option == "--event") once.events.push_back(PerfEvent::parse(value));
    if (option == "--counts") once.counts = value;
  }
  if (once.events.empty() != once.counts.empty()) {
    fail_usage("--once: --event says what is counted and --counts where to: one needs the other");
  }
  return once;
}

void once(const Program& program, const Once& which, std::ostream& out) {
  expect_measurable(program);
  const auto slash = which.subject.find('/');
  const std::string name =
      slash == std::string::npos ? which.subject : which.subject.substr(slash + 1);
  const Problem& problem = problem_of(program, which.subject, name);
  const PerfGroups groups(which.events);
  const auto device = device::open(which.device, {"call", "", false});
  wire::Prepare request;
  request.cell = {problem.name(), in_order_of_axes(problem, Case::parse(which.case_id)),
                  which.state.empty() ? "warm" : which.state, boundary_of(*device)};
  request.subjects = {name};
  request.content_key = once_content_key;
  wire::Mark mark = wire::Mark::from_environment();
  Cell cell(problem, *device, mark, std::move(request), {"none"});
  const wire::Prepared prepared = cell.prepare();
  if (!prepared.failures.empty()) fail_usage(prepared.failures.front().message);
  if (!which.state.empty()) {
    // What only a first call does (symbols bound, modules loaded, memory mapped) no sample has in
    // it.
    const Cell::Member& member = cell.member(name);
    cell.caller().call(*member.subject, *member.context, cell.occasion("count", name));
  }
  if (groups.size() == 0) {
    ProfiledWindow window(*device);
    make_calls(cell, name, which, window);
  }
  for (std::size_t group = 0; group < groups.size(); ++group) {
    PerfGroups::Window window = groups.window(group);
    make_calls(cell, name, which, window);
  }
  if (!which.counts.empty()) groups.write(which.counts);
  out << problem.name() << '/' << name << " on " << cell.which().id() << ": "
      << (which.calls == 1 ? "one call" : counted(static_cast<std::size_t>(which.calls), "call"))
      << " done\n";
}

}  // namespace assay::measure

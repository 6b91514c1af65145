// SPDX-License-Identifier: MIT
#include "assay/measure/cell.hpp"

#include <algorithm>

#include "assay/base/random.hpp"
#include "assay/base/time.hpp"
#include "assay/problem/content.hpp"

namespace assay::measure {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::usage, message); }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool all_threaded(const Problem& problem, const std::vector<std::string>& subjects) {
  return !subjects.empty() &&
         std::all_of(subjects.begin(), subjects.end(), [&](const std::string& name) {
           const Subject* subject = problem.find_subject(name);
           return subject != nullptr && subject->declared_threads() != 1;
         });
}

constexpr const char* warm_state = "warm";
constexpr const char* cold_state = "cold";
constexpr const char* rotate_state = "rotate";
constexpr const char* write_flush_state = "write-flush";

// The stage of a failure for the phase of a block.
const char* stage_of(const std::string& phase) {
  if (phase == "calibration") return "calibrate";
  if (phase == "warm-up") return "warm-up";
  if (phase == "measure") return "block";
  refuse("there is no phase '" + phase + "': calibration, warm-up or measure");
}

// To the runs of the same kernel and launch shape.
void add_run(wire::SampleTaken& sample, const device::KernelRecord& kernel) {
  auto& all = sample.kernels;
  auto runs = std::find_if(all.begin(), all.end(), [&](const wire::KernelRuns& each) {
    return each.kernel == kernel.name && each.grid == kernel.grid && each.threads == kernel.threads;
  });
  if (runs == all.end()) {
    all.push_back({kernel.name, kernel.grid, kernel.threads, {}, {}});
    runs = all.end() - 1;
  }
  runs->begins_ns.push_back(kernel.start_ns - sample.start_ns);
  runs->durations_ns.push_back(kernel.duration_ns);
}

}  // namespace

std::vector<std::string> states_of(const Problem& problem, const device::Device& device) {
  std::vector<std::string> states{warm_state, cold_state};
  if (device.last_level_cache_bytes()) states.emplace_back(rotate_state);
  const auto ways = device.evictions();
  if (std::find(ways.begin(), ways.end(), device::Eviction::by_writing) != ways.end()) {
    states.emplace_back(write_flush_state);
  }
  for (const auto& [name, callback] : problem.states()) states.push_back(name);
  return states;
}

Cell::Cell(const Problem& problem, device::Device& device, wire::Mark& mark, wire::Prepare request,
           const std::vector<std::string>& timers, bool is_untouched)
    : problem_(&problem),
      request_(std::move(request)),
      caller_(device, mark, request_.single_core, request_.all_cores),
      is_untouched_(is_untouched) {
  if (!contains(device.boundaries(), request_.cell.boundary)) {
    refuse("there is no boundary '" + request_.cell.boundary +
           "' on this device: " + joined(device.boundaries()));
  }
  if (request_.timer.empty()) request_.timer = timers.front();
  if (!contains(timers, request_.timer)) {
    refuse("there is no timer '" + request_.timer + "' here: " + joined(timers));
  }

  device.begin_cell();
  device.bind_to_cores(request_.all_cores);
  device.bind_to_cores(request_.single_core);
  // Memory belongs to the node of the core that touches it first: to the one that the subjects run
  // on.
  if (all_threaded(problem, request_.subjects)) device.bind_to_cores(request_.all_cores);

  // What the device cannot do shows here, not as a failure of a subject in the middle of a block.
  const Preparation of_cell = preparation_for(request_.cell.state);
  const bool rotates = is_to_rotate();
  if (of_cell.kind == Preparation::Kind::evict || rotates) device.evict(of_cell.how, {});

  // Places are taken before any subject is made ready, so that they are the same whichever are
  // asked for.
  const std::int64_t start_ns = monotonic_ns();
  copies_ = std::make_unique<Copies>(problem.contract(), which(), device, request_.content_key,
                                     Helpers(request_.all_cores));
  const std::int64_t end_ns = monotonic_ns();
  if (problem.contract().inputs.empty() && problem.contract().outputs.empty()) {
    startup_[StartupPhase::allocate] = Missing{no_phase::no_tensors, "the problem declares none"};
  } else {
    startup_[StartupPhase::allocate] = PhaseTime{start_ns, static_cast<double>(end_ns - start_ns)};
  }
  if (rotates) copies_->rotate();
  copies_->fill(request_.content_key);
  for (const std::string& name : request_.subjects) {
    const Subject* subject = problem.find_subject(name);
    if (subject == nullptr) {
      refuse("the problem '" + problem.name() + "' has no subject '" + name + "'");
    }
    if (!subject->is_supported(which())) {
      refuse("the subject '" + name + "' does not support the case '" + which().id() + "'");
    }
    const int threads = caller_.threads_of(*subject);
    Member made{subject, workspace().make_context(threads), preparation_of(*subject)};
    if (made.preparation.kind == Preparation::Kind::rotate) {
      made.on_copies.push_back(made.context);
      for (std::size_t i = 1; i < copies_->count(); ++i) {
        made.on_copies.push_back((*copies_)[i].make_context(threads));
      }
    }
    members_[name] = std::move(made);
  }
  if (!request_.baseline.empty()) members_[control] = member(request_.baseline);
}

Cell::Preparation Cell::preparation_of(const Subject& subject) const {
  const std::string& own = subject.own_state();
  return preparation_for(own.empty() || is_cold_start() ? request_.cell.state : own);
}

Cell::Preparation Cell::preparation_for(const std::string& state) const {
  Preparation preparation;
  if (is_cold_start()) {
    if (state != fresh_state) {
      refuse("there is no state '" + state +
             "' at the boundary cold-start: " + std::string(fresh_state));
    }
    preparation.kind = Preparation::Kind::fresh;
    return preparation;
  }
  std::vector<std::string> states = states_of(*problem_, caller_.device());
  if (!contains(states, state)) refuse("there is no state '" + state + "': " + joined(states));
  for (const auto& [name, callback] : problem_->states()) {
    if (name == state) return {Preparation::Kind::named, {}, callback};
  }
  if (state == cold_state) preparation.kind = Preparation::Kind::evict;
  if (state == rotate_state) preparation.kind = Preparation::Kind::rotate;
  if (state == write_flush_state) {
    preparation.kind = Preparation::Kind::evict;
    preparation.how = device::Eviction::by_writing;
  }
  return preparation;
}

bool Cell::is_to_rotate() const {
  if (is_cold_start()) return false;
  const auto rotates = [&](const std::string& state) {
    return preparation_for(state).kind == Preparation::Kind::rotate;
  };
  if (rotates(request_.cell.state)) return true;
  return std::any_of(
      request_.subjects.begin(), request_.subjects.end(), [&](const std::string& name) {
        const Subject* subject = problem_->find_subject(name);
        return subject != nullptr && !subject->own_state().empty() && rotates(subject->own_state());
      });
}

std::vector<std::shared_ptr<Context>> Cell::contexts_of(const Member& member) {
  if (member.on_copies.empty()) return {member.context};
  return member.on_copies;
}

const Cell::Member& Cell::member(const std::string& label) const {
  const auto found = members_.find(label);
  if (found != members_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, unused] : members_) names.push_back(name);
  refuse("there is no subject '" + label + "' in the cell: " + joined(names));
}

device::Occasion Cell::occasion(const char* stage, const std::string& label) const {
  device::Occasion occasion;
  occasion.trial = request_.trial;
  occasion.stage = stage;
  occasion.problem = request_.cell.problem;
  occasion.case_id = which().id();
  occasion.state = request_.cell.state;
  occasion.subject = label;
  occasion.code = label == control ? request_.baseline : label;
  return occasion;
}

experiment::Failure Cell::failure(const char* stage, const std::string& label,
                                  const std::string& message) const {
  experiment::Failure failure;
  failure.kind = experiment::failure::subject_error;
  failure.message = "the subject '" + label + "' threw: " + message;
  failure.stage = stage;
  failure.trial = request_.trial;
  failure.cell = request_.cell.problem + "/" + which().id() + "/" + request_.cell.state + "/" +
                 request_.cell.boundary;
  failure.subject = label;
  return failure;
}

experiment::Failure Cell::failure_now(const char* stage, const std::string& label) const {
  experiment::Failure now = failure(stage, label, message_of_current_exception());
  now.kind = failure_of_current_exception();
  return now;
}

std::optional<std::int64_t> Cell::max_iterations() const {
  // A second call would find what the first one left: a written input, warm caches, a state that is
  // no longer the named one.
  const bool is_repeatable = !copies_->first().has_in_place() &&
                             std::all_of(members_.begin(), members_.end(), [](const auto& member) {
                               return member.second.preparation.kind == Preparation::Kind::warm;
                             });
  if (!is_repeatable) return 1;
  return std::nullopt;
}

wire::Prepared Cell::prepare() {
  wire::Prepared prepared;
  for (Buffer& buffer : workspace().inputs()) {
    // Trials fill by keys that the plan gives; a digest of hundreds of megabytes in each of them
    // would take longer than their samples do.
    if (request_.trial > 0) break;
    const Tensor& tensor = buffer.tensor();
    prepared.inputs.push_back({buffer.name(), tensor.dtype().name, tensor.shape(),
                               content_digest(tensor, buffer.host())});
  }
  prepared.footprint_bytes = workspace().footprint_bytes();
  prepared.max_iterations = max_iterations();
  prepared.rotation = copies_->rotation();
  // In an order of the trial's: where a subject's scratch lies on a device depends on what was
  // taken before, and may move its time. So it is chance, and no subject's own.
  Random random(derive_key(request_.content_key, {"prepare"}));
  for (const std::size_t place : random.permutation(request_.subjects.size())) {
    const std::string& name = request_.subjects[place];
    const std::string& own_state = member(name).subject->own_state();
    if (is_cold_start() && !own_state.empty()) {
      leave_out(failure("prepare", name, ""), prepared);
      prepared.failures.back().message =
          "the subject '" + name + "' has the state '" + own_state +
          "' of its own, and nothing is done before the first call of a process: measure it at "
          "another boundary";
      continue;
    }
    try {
      // What is told of them is of the first, which finds nothing that an earlier one has left.
      wire::Prepared untold;
      for (const auto& context : contexts_of(member(name))) {
        const bool is_first = context == member(name).context;
        run_preparation(name, *member(name).subject, *context, is_first ? prepared : untold);
      }
    } catch (const device::DeviceLost&) {
      throw;
    } catch (...) {
      leave_out(failure_now("prepare", name), prepared);
    }
  }
  return prepared;
}

void Cell::leave_out(experiment::Failure why, wire::Prepared& answer) {
  members_.erase(why.subject);
  if (why.subject == request_.baseline) members_.erase(control);
  answer.failures.push_back(std::move(why));
}

void Cell::make_code(const std::string& name, const Subject& subject, Context& context,
                     wire::Prepared& answer) {
  if (subject.source() == nullptr) {
    startup_[StartupPhase::compile] = startup_[StartupPhase::load] =
        Missing{no_phase::no_source, "the subject is linked code"};
    return;
  }
  const device::Occasion now = occasion("prepare", name);
  if (!is_cold_start() || !is_untouched_) {
    const auto launch = caller_.load(subject, context, now);
    answer.generated.push_back(launch->generated(name));
    return;
  }
  const std::int64_t start_ns = monotonic_ns();
  unloaded_ = caller_.compile(subject, context, now);
  startup_[StartupPhase::compile] =
      PhaseTime{start_ns, static_cast<double>(monotonic_ns() - start_ns)};
}

void Cell::run_preparation(const std::string& name, const Subject& subject, Context& context,
                           wire::Prepared& answer) {
  make_code(name, subject, context, answer);
  if (!subject.preparation()) {
    startup_[StartupPhase::prepare] =
        Missing{no_phase::no_preparation, "the subject declares none"};
    return;
  }
  const std::int64_t start_ns = monotonic_ns();
  caller_.prepare(subject, context, occasion("prepare", name));
  const auto interval_ns = static_cast<double>(monotonic_ns() - start_ns);
  startup_[StartupPhase::prepare] = PhaseTime{start_ns, interval_ns};
  answer.preparations.push_back({name, interval_ns, subject.reuse_count()});
}

Cell::Place Cell::take_place(const Member& measured) {
  if (measured.preparation.kind != Preparation::Kind::rotate) {
    return {&workspace(), measured.context.get()};
  }
  const std::size_t copy = copies_->take_next();
  Place place{&(*copies_)[copy], measured.on_copies[copy].get()};
  place.rotates = true;
  // Subjects that do not rotate work on the first copy all the time.
  const bool is_mixed = std::any_of(members_.begin(), members_.end(), [](const auto& member) {
    return member.second.preparation.kind != Preparation::Kind::rotate;
  });
  place.is_hot = copies_->take_touch(copy) || (is_mixed && copy == 0);
  return place;
}

void Cell::evict(device::Eviction how, const Place& place) {
  std::vector<device::Range> ranges = place.workspace->ranges();
  for (const auto& scratch : place.context->scratch_areas()) {
    ranges.push_back({scratch.memory.get(), scratch.bytes});
  }
  caller_.device().evict(how, ranges);
}

void Cell::make_ready(const Member& measured, const Place& place, const device::Occasion& now,
                      std::optional<std::uint64_t> poison_key) {
  Workspace& workspace = *place.workspace;
  Context& context = *place.context;
  caller_.bind(*measured.subject);
  if (poison_key) workspace.poison_outputs(*poison_key);
  // Before a first call they are as they were filled. A copy that rotates was restored after its
  // last turn: now that would bring it into the caches.
  if (!is_cold_start() && !place.rotates) workspace.restore_in_place();
  switch (measured.preparation.kind) {
    case Preparation::Kind::fresh:
      break;
    case Preparation::Kind::warm:
      caller_.call(*measured.subject, context, now);
      workspace.restore_in_place();
      // The untimed call has written the outputs: that the timed one did so too must show.
      if (poison_key) workspace.poison_few(*poison_key);
      break;
    case Preparation::Kind::evict:
      evict(measured.preparation.how, place);
      break;
    case Preparation::Kind::rotate:
      // Outputs were poisoned for the check, or others have worked on it since its last turn, and
      // left there what they write in place.
      if (poison_key || place.is_hot) {
        workspace.restore_in_place();
        evict(device::Eviction::clean, place);
      }
      break;
    case Preparation::Kind::named:
      measured.preparation.callback(context);
      // What it left in the device's queue is not part of the sample.
      caller_.device().synchronize();
      break;
  }
}

wire::SampleTaken Cell::sample(const std::string& label, const wire::Block& request,
                               const char* stage) {
  const Member& measured = member(label);
  device::Occasion now = occasion(stage, label);
  now.block = request.block;
  const Place place = take_place(measured);
  Workspace& workspace = *place.workspace;
  std::optional<std::uint64_t> poison_key;
  if (request.keep_outputs) {
    poison_key =
        derive_key(workspace.content_id(), {"poison", label, std::to_string(request.block)});
  }
  make_ready(measured, place, now, poison_key);
  device::Measured interval;
  try {
    interval =
        caller_.measure(*measured.subject, *place.context, request.iterations, request_.timer, now);
  } catch (const device::DeviceLost&) {
    throw;
  } catch (...) {
    if (place.rotates) workspace.restore_in_place();
    throw;
  }
  if (request.keep_outputs) {
    if (caller_.device().disturbance(now).kind == device::Disturbance::Kind::wrong_output) {
      workspace.spoil_output();
    }
    kept_[label] = workspace.take_outputs();
  }
  if (place.rotates) workspace.restore_in_place();
  wire::SampleTaken taken{label, interval.interval_ns, interval.start_ns, interval.flags, {}};
  for (const device::KernelRecord& kernel : interval.kernels) add_run(taken, kernel);
  if (is_cold_start()) note_first_call(interval);
  return taken;
}

// What is loaded by the first call is loaded at its beginning.
void Cell::note_first_call(const device::Measured& interval) {
  PhaseTime call{interval.start_ns, interval.interval_ns};
  if (unloaded_ && unloaded_->loading()) {
    const PhaseTime& loading = *unloaded_->loading();
    startup_[StartupPhase::load] = loading;
    call.start_ns = loading.start_ns + static_cast<std::int64_t>(loading.interval_ns);
    call.interval_ns = std::max(interval.interval_ns - loading.interval_ns, 0.0);
  }
  startup_[StartupPhase::call] = call;
}

void Cell::expect_first_call(const wire::Block& request) const {
  if (request_.subjects.size() != 1 || request.order.size() != 1 || request.iterations != 1) {
    refuse(
        "at the boundary cold-start a process makes one call of the one subject that it has "
        "prepared; expected a block of one subject and one iteration");
  }
}

void Cell::expect_possible(std::int64_t iterations) const {
  if (const auto most = max_iterations(); most && iterations > *most) {
    refuse("a sample of " + std::to_string(iterations) +
           " iterations is not possible in this cell: at most " + std::to_string(*most));
  }
}

void Cell::count(const std::string& label, std::int64_t calls, CountingWindow& window) {
  const Member& counted = member(label);
  expect_possible(calls);
  const device::Occasion now = occasion("count", label);
  Place place = take_place(counted);
  // A first call may have come before, on this very copy.
  place.is_hot = place.rotates;
  make_ready(counted, place, now, std::nullopt);
  caller_.count(*counted.subject, *place.context, calls, window, now);
  if (place.rotates) place.workspace->restore_in_place();
}

wire::BlockDone Cell::block(const wire::Block& request) {
  const char* stage = stage_of(request.phase);
  for (const std::string& label : request.order) member(label);
  if (is_cold_start()) expect_first_call(request);
  expect_possible(request.iterations);
  if (request.content_key != 0) {
    // In a large input a window may change a result by less than the tolerance: where outputs are
    // to be judged, an answer kept from before must show.
    copies_->renew(request.content_key,
                   request.keep_outputs ? Workspace::Extent::whole : Workspace::Extent::window);
  }
  if (request.keep_outputs) {
    copies_->watch_inputs();
    // A block may come in several requests, where another build's turn lies between.
    if (kept_block_ != request.block) kept_.clear();
    kept_block_ = request.block;
  }
  wire::BlockDone done;
  for (const std::string& label : request.order) {
    try {
      done.samples.push_back(sample(label, request, stage));
    } catch (const device::DeviceLost& lost) {
      // What was measured before is told; nothing more can be.
      done.failures.push_back(
          failure(stage, lost.subject.empty() ? label : lost.subject, lost.what()));
      done.failures.back().kind = experiment::failure::device_lost;
      done.failures.back().message = lost.what();
      return done;
    } catch (...) {
      done.failures.push_back(failure_now(stage, label));
    }
  }
  return done;
}

std::int64_t Cell::allocated_bytes(const std::string& label) const {
  const auto contexts = contexts_of(member(label));
  std::int64_t bytes =
      copies_->first().footprint_bytes() * static_cast<std::int64_t>(contexts.size());
  for (const auto& context : contexts) {
    for (const auto& scratch : context->scratch_areas()) {
      bytes += static_cast<std::int64_t>(scratch.bytes);
    }
  }
  return bytes;
}

const OutputCopy* Cell::kept(const std::string& label) const {
  const auto found = kept_.find(label);
  return found == kept_.end() ? nullptr : &found->second;
}

}  // namespace assay::measure

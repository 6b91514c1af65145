// SPDX-License-Identifier: MIT
//
// The canaries of a trial, as the parent asks for them and keeps them. Whatever goes wrong with
// them costs no verdict: they describe the trial.
#include <algorithm>

#include "assay/base/time.hpp"
#include "assay/run/crew.hpp"

namespace assay::run {
namespace {

// Its interval must lie between request and answer by the parent's clock; the fake device has its
// own.
bool is_plausible_canary(const Session& session, const wire::SampleTaken& sample,
                         double elapsed_ns) {
  if (!(sample.interval_ns >= 0) || sample.start_ns < 0) return false;  // cannot be written down
  return session.plan().device.starts_with("fake") || sample.interval_ns <= elapsed_ns;
}

}  // namespace

Step Crew::canaries(const std::string& moment) {
  for (std::size_t build = 0; build < workers_.size(); ++build) {
    record::Trial& told = rows_[build];
    if (!session_->asks_canaries || told.canary_missing == record::canary::refused) continue;
    if (told.canary_missing == record::canary::of_commands) continue;
    wire::Canary request;
    request.moment = moment;
    request.timer = timer();
    if (told.core.has_value()) request.single_core = {core_};
    request.trial = trial_;
    const std::int64_t asked_ns = monotonic_ns();
    auto asked = workers_[build].ask(request, "canary");
    const auto elapsed_ns = static_cast<double>(monotonic_ns() - asked_ns);
    if (std::holds_alternative<Interrupted>(asked)) {
      abandon(record::outcome::interrupted);
      return Step::interrupted;
    }
    if (auto* failure = std::get_if<experiment::Failure>(&asked)) {
      // A worker that does not live through them would not in the next trial either.
      session_->asks_canaries = false;
      const std::string kind = failure->kind;
      // The mark names a kernel: no subject is to blame.
      if (!failure->subject.empty()) failure->message += ", in " + failure->subject;
      failure->subject.clear();
      session_->fail(std::move(*failure), trial_);
      abandon(kind);
      return Step::worker_lost;
    }
    if (const auto* refused = std::get_if<wire::Refused>(&std::get<wire::Answer>(asked));
        refused != nullptr && refused->kind == experiment::failure::device_lost) {
      session_->asks_canaries = false;
      experiment::Failure failure;
      failure.kind = refused->kind;
      failure.stage = "canary";
      failure.build = workers_[build].build();
      failure.message = refused->message;
      session_->fail(std::move(failure), trial_);
      abandon(experiment::failure::device_lost);
      return Step::worker_lost;
    }
    const auto* done = std::get_if<wire::CanaryDone>(&std::get<wire::Answer>(asked));
    if (done == nullptr) {
      told.canary_missing = record::canary::refused;
      continue;
    }
    const bool plausible =
        !done->samples.empty() &&
        std::all_of(done->samples.begin(), done->samples.end(), [&](const wire::SampleTaken& one) {
          return is_plausible_canary(*session_, one, elapsed_ns);
        });
    if (!plausible) {
      told.canary_missing = record::canary::implausible;
      continue;
    }
    keep_canaries(build, moment, done->samples);
    session_->flush();
    if (moment == "end" && told.canary_missing == record::canary::not_reached)
      told.canary_missing.clear();
  }
  return Step::done;
}

void Crew::keep_canaries(std::size_t build, const std::string& moment,
                         const std::vector<wire::SampleTaken>& samples) {
  record::Dictionary& names = session_->evidence.samples.names;
  std::uint32_t position = 0;
  for (const wire::SampleTaken& sample : samples) {
    record::Sample row;
    row.trial = static_cast<std::uint32_t>(trial_);
    row.process = process_of(build);
    row.build = names.index_of(session_->plan().builds[build].name);
    row.layout = static_cast<std::uint32_t>(layout_);
    row.problem = row.case_id = row.state = names.index_of("");
    row.boundary = names.index_of(purpose_.boundary);
    row.timer = names.index_of(timer());
    row.subject = names.index_of(sample.subject);
    row.flags = names.index_of(sample.flags);
    row.phase = record::Phase::canary;
    row.block = moment == "end" ? 1 : 0;
    row.position = position++;
    row.interval_ns = sample.interval_ns;
    row.start_ns = sample.start_ns;
    session_->add(row);
  }
}

}  // namespace assay::run

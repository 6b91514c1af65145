// SPDX-License-Identifier: MIT
#include "assay/measure/subject.hpp"

#include "assay/base/error.hpp"

namespace assay {
namespace {

using Loops = std::vector<std::pair<std::string, std::unique_ptr<detail::Loop>>>;

// nullptr if there is none for the case's dtype.
detail::Loop* find_loop(const Loops& loops, const Case& the_case) {
  if (loops.size() == 1 && loops.front().first.empty()) return loops.front().second.get();
  const AxisValue* dtype = the_case.find("dtype");
  const std::string* name = dtype == nullptr ? nullptr : std::get_if<std::string>(dtype);
  if (name == nullptr) return nullptr;
  for (const auto& [type, loop] : loops) {
    if (type == *name) return loop.get();
  }
  return nullptr;
}

}  // namespace

Subject::Subject(std::string name, std::unique_ptr<detail::Loop> loop, BuildFacts build)
    : name_(std::move(name)), build_(build) {
  loops_.emplace_back(std::string(), std::move(loop));
}

Subject::Subject(std::string name, Loops loops, BuildFacts build)
    : name_(std::move(name)), build_(build), loops_(std::move(loops)) {}

Subject::~Subject() = default;

Subject::Subject(std::string name, CudaSource source, BuildFacts build)
    : name_(std::move(name)),
      build_(build),
      source_(std::make_unique<const CudaSource>(std::move(source))) {
  loops_.emplace_back(std::string(), std::make_unique<detail::LoopOfLaunches>());
}

Subject& Subject::supports(std::function<bool(const Case&)> predicate) {
  supports_.push_back(std::move(predicate));
  return *this;
}

Subject& Subject::prepare(std::function<void(Context&)> work, std::int64_t reuse_count) {
  ASSAY_EXPECTS(reuse_count >= 1);
  prepare_ = std::move(work);
  reuse_count_ = reuse_count;
  return *this;
}

Subject& Subject::parameter(const std::string& name, const std::string& value) {
  parameters_of_case_.erase(name);
  parameters_[name] = value;
  return *this;
}

Subject& Subject::parameter(const std::string& name,
                            std::function<std::string(const Case&)> value) {
  ASSAY_EXPECTS(value != nullptr);
  parameters_.erase(name);
  parameters_of_case_[name] = std::move(value);
  return *this;
}

std::map<std::string, std::string> Subject::parameters_of(const Case& the_case) const {
  std::map<std::string, std::string> values;
  for (const auto& [name, value] : parameters_of_case_) values[name] = value(the_case);
  return values;
}

Subject& Subject::threads(int count) {
  ASSAY_EXPECTS(count >= 1 || count == all_cores);
  threads_ = count;
  return *this;
}

Subject& Subject::in_state(const std::string& name) {
  own_state_ = name;
  return parameter("state", name);
}

Subject& Subject::work(WorkModel model) {
  work_ = std::move(model);
  return *this;
}

bool Subject::is_supported(const Case& the_case) const {
  if (find_loop(loops_, the_case) == nullptr) return false;
  for (const auto& predicate : supports_) {
    if (!predicate(the_case)) return false;
  }
  return true;
}

detail::Loop& Subject::loop(const Case& the_case) const {
  if (detail::Loop* found = find_loop(loops_, the_case)) return *found;
  throw Error(ErrorKind::usage, "the subject '" + name_ + "' has no code for the case '" +
                                    the_case.id() +
                                    "': it is a template over dtypes, and the case's axis 'dtype' "
                                    "names none of them");
}

}  // namespace assay

// SPDX-License-Identifier: MIT
#include "assay/problem/adversarial.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "assay/base/error.hpp"
#include "assay/problem/detail/adversarial_content.hpp"

namespace assay {
namespace {

constexpr std::array<std::int64_t, 30> sizes = {
    0,  1,   2,   3,   7,   8,   9,   15,   16,   17,   31,   32,   33,   63,  64,
    65, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 511, 513};

// Elements of all tensors.
std::int64_t elements_of(const Contract& contract, const Case& the_case) {
  std::int64_t total = 0;
  for (const InputSpec& spec : contract.inputs) total += spec.tensor(the_case).element_count();
  for (const OutputSpec& spec : contract.outputs) total += spec.tensor(the_case).element_count();
  return total;
}

// The measured cases that agree in all text axes.
struct Group {
  std::string texts;  // "f32-tiled"; empty without text axes
  std::vector<Case> cases;
};

std::string texts_of(const Case& the_case) {
  std::string texts;
  for (const auto& [name, value] : the_case.entries()) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      texts += (texts.empty() ? "" : "-") + *text;
    }
  }
  return texts;
}

std::vector<Group> groups_of(const std::vector<Case>& measured) {
  std::vector<Group> groups;
  for (const Case& the_case : measured) {
    const std::string texts = texts_of(the_case);
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& group) { return group.texts == texts; });
    if (found == groups.end()) {
      groups.push_back({texts, {}});
      found = groups.end() - 1;
    }
    found->cases.push_back(the_case);
  }
  return groups;
}

// Large enough for several vectors and tiles, small enough for a reference in an instant.
const Case& moderate_case(const Contract& contract, const Group& group) {
  constexpr std::int64_t enough = 1024;
  const Case* chosen = nullptr;
  std::int64_t chosen_elements = 0;
  for (const Case& the_case : group.cases) {
    const std::int64_t elements = elements_of(contract, the_case);
    const bool better =
        chosen == nullptr ||
        (chosen_elements < enough ? elements > chosen_elements
                                  : elements >= enough && elements < chosen_elements);
    if (!better) continue;
    chosen = &the_case;
    chosen_elements = elements;
  }
  return *chosen;
}

Case smallest_case(const Group& group) {
  std::vector<Case::Entry> entries = group.cases.front().entries();
  for (const Case& the_case : group.cases) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i].second = std::min(entries[i].second, the_case.entries()[i].second);
    }
  }
  return Case(std::move(entries));
}

Case with(const Case& base, const std::string& axis, std::int64_t value) {
  std::vector<Case::Entry> entries = base.entries();
  for (auto& [name, held] : entries) {
    if (name == axis) held = value;
  }
  return Case(std::move(entries));
}

bool is_allowed(AdversarialContent content, const SpecialValues& special_values) {
  switch (content) {
    case AdversarialContent::nan:
    case AdversarialContent::infinity:
      return special_values.non_finite == SpecialValues::NonFinite::propagate;
    case AdversarialContent::subnormal:
      return special_values.subnormal != SpecialValues::Subnormal::unspecified;
    default:
      return true;
  }
}

const char* described(AdversarialContent content) {
  switch (content) {
    case AdversarialContent::large:
      return "very large values";
    case AdversarialContent::small:
      return "very small values";
    case AdversarialContent::cancellation:
      return "values that cancel";
    case AdversarialContent::subnormal:
      return "subnormal values";
    case AdversarialContent::nan:
      return "some NaN";
    case AdversarialContent::infinity:
      return "some infinities";
    case AdversarialContent::equal:
      return "one value everywhere";
    case AdversarialContent::zeros:
      return "zeros";
    case AdversarialContent::declared:
      break;
  }
  return "the declared values";
}

class List {
 public:
  List(const Contract& contract, const std::vector<Axis>& axes, const AdversarialBudget& budget)
      : contract_(contract), axes_(axes), budget_(budget) {}

  void add(const Group& group) {
    suffix_ = group.texts.empty() ? "" : "-" + group.texts;
    const Case& moderate = moderate_case(contract_, group);
    add_contents(moderate);
    add_misaligned(moderate);
    for (const Axis& axis : axes_) {
      if (axis.values.size_axis()) add_sizes(axis, group);
    }
  }

  std::vector<AdversarialCase> finish() {
    while (!sized_.empty() && fixed_.size() + sized_.size() > budget_.cases) {
      std::vector<AdversarialCase> kept;
      for (std::size_t i = 1; i < sized_.size(); i += 2) kept.push_back(std::move(sized_[i]));
      sized_ = std::move(kept);
    }
    for (auto& sized : sized_) fixed_.push_back(std::move(sized));
    return std::move(fixed_);
  }

 private:
  void add_contents(const Case& base) {
    constexpr std::array contents = {
        AdversarialContent::large,     AdversarialContent::small, AdversarialContent::cancellation,
        AdversarialContent::subnormal, AdversarialContent::nan,   AdversarialContent::infinity,
        AdversarialContent::equal,     AdversarialContent::zeros};
    for (const AdversarialContent content : contents) {
      if (!is_allowed(content, contract_.special_values)) continue;
      std::string names;
      for (const InputSpec& spec : contract_.inputs) {
        const Tensor tensor = spec.tensor(base);
        if (detail::is_replaceable(spec, tensor) &&
            detail::adversarial_generator(content, tensor, contract_.special_values.range)) {
          names += (names.empty() ? "" : ", ") + spec.name;
        }
      }
      if (names.empty()) continue;
      AdversarialCase made;
      made.name = std::string("content-") + detail::slug_of(content) + suffix_;
      made.change = names + (names.find(',') == std::string::npos ? " holds " : " hold ") +
                    described(content);
      made.which = base;
      made.content = content;
      made.range = contract_.special_values.range;
      fixed_.push_back(std::move(made));
    }
  }

  void add_misaligned(const Case& base) {
    const auto add_one = [&](const std::string& name) {
      AdversarialCase made;
      made.name = "misaligned-" + name + suffix_;
      made.change = name + " lies one element off its aligned place";
      made.which = base;
      made.misaligned = name;
      fixed_.push_back(std::move(made));
    };
    for (const InputSpec& spec : contract_.inputs) add_one(spec.name);
    for (const OutputSpec& spec : contract_.outputs) add_one(spec.name);
  }

  void add_sizes(const Axis& axis, const Group& group) {
    const Case smallest = smallest_case(group);
    std::vector<std::int64_t> ordered(sizes.begin(), sizes.end());
    std::sort(ordered.begin(), ordered.end());
    for (const std::int64_t size : ordered) {
      if (size == 0 && !axis.values.empty_allowed()) continue;
      Case which = with(smallest, axis.name, size);
      if (std::find(group.cases.begin(), group.cases.end(), which) != group.cases.end()) continue;
      if (elements_of(contract_, which) > budget_.elements) continue;
      AdversarialCase made;
      made.name = "size-" + axis.name + '-' + std::to_string(size) + suffix_;
      made.change = axis.name + " is " + std::to_string(size);
      made.which = std::move(which);
      sized_.push_back(std::move(made));
    }
  }

  const Contract& contract_;
  const std::vector<Axis>& axes_;
  AdversarialBudget budget_;
  std::string suffix_;
  std::vector<AdversarialCase> fixed_;
  std::vector<AdversarialCase> sized_;
};

void misalign(Tensor& tensor) {
  tensor.misaligned_by(tensor.misaligned_by() + tensor.dtype().size_bytes);
}

}  // namespace

Tensor AdversarialCase::input(const InputSpec& spec) const {
  Tensor tensor = spec.tensor(which);
  if (content != AdversarialContent::declared && detail::is_replaceable(spec, tensor)) {
    if (auto generator = detail::adversarial_generator(content, tensor, range)) {
      tensor.generator(std::move(*generator));
    }
  }
  if (spec.name == misaligned) misalign(tensor);
  return tensor;
}

Tensor AdversarialCase::output(const OutputSpec& spec) const {
  Tensor tensor = spec.tensor(which);
  if (spec.name == misaligned) misalign(tensor);
  return tensor;
}

std::vector<AdversarialCase> adversarial_cases(const Contract& contract,
                                               const std::vector<Axis>& axes,
                                               const std::vector<Case>& measured,
                                               const AdversarialBudget& budget) {
  List list(contract, axes, budget);
  for (const Group& group : groups_of(measured)) list.add(group);
  return list.finish();
}

}  // namespace assay

// SPDX-License-Identifier: MIT
#include "assay/report/companion_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "assay/base/json_list.hpp"
#include "assay/experiment/plan.hpp"
#include "assay/judge/text.hpp"
#include "assay/report/columns.hpp"
#include "assay/report/kernel_name.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

using record::CompanionRecord;
using record::Counter;
using record::CounterRun;

std::string subject_text(const Counter& counter) {
  return experiment::SubjectId{counter.build, counter.subject}.text();
}

const record::Metric* metric_of(const record::Companion& companion, const std::string& name) {
  for (const auto& metric : companion.metrics) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

// Counts as the whole numbers that they are, as long as a person can read them so.
std::string value_text(double value) {
  constexpr double most_digits = 1e7;
  constexpr double least_with_one_place = 100;
  const double size = std::fabs(value);
  if (size >= most_digits) return fmt::format("{:.4g}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return size >= least_with_one_place ? fmt::format("{:.1f}", value) : fmt::format("{:.3g}", value);
}

constexpr std::size_t kMostOfAKernelName = 40;

class Table {
 public:
  Table(const CompanionRecord& companion, const judge::Result* timed, bool with_launches,
        TerminalStyle style)
      : companion_(companion),
        timed_(timed),
        with_launches_(with_launches),
        style_(style),
        width_(static_cast<std::size_t>(std::max(40, style.width))),
        lines_(counter_lines(companion)) {}

  std::string text() {
    const auto& of = companion_.companion;
    heading(fmt::format("Counters beside the times of {}", of.of.name));
    paragraph(fmt::format("{} ({}), device {}.", of.tool.name, of.tool.version, of.device));
    std::set<std::pair<std::string, std::string>> groups;
    for (const CounterRun& run : of.runs) {
      if (groups.emplace(run.problem, run.state).second) group(run.problem, run.state);
    }
    footnotes();
    return out_;
  }

 private:
  void heading(const std::string& words) {
    if (!out_.empty()) out_ += "\n";
    out_ += style_.colour ? fmt::format("\x1b[1m{}\x1b[0m\n", words) : words + "\n";
  }
  void paragraph(const std::string& words) { out_ += wrapped(words, width_, 2); }

  void group(const std::string& problem, const std::string& state) {
    heading(problem + ", " + state);
    Columns columns({false, false, false, true, true, false});
    columns.add({"case", "counter", "subject", "per call", "ratio", ""});
    std::set<std::string> cases;
    for (const CounterRun& run : companion_.companion.runs) {
      if (run.problem != problem || run.state != state) continue;
      if (cases.insert(run.case_id).second) add_case(columns, run);
    }
    for (const std::string& line : columns.lines(2)) out_ += line + "\n";
  }

  std::vector<const CounterLine*> lines_of(const CounterRun& of, const std::string& metric) const {
    std::vector<const CounterLine*> found;
    for (const CounterLine& line : lines_) {
      const Counter& counter = *line.counter;
      if (counter.problem == of.problem && counter.state == of.state &&
          counter.case_id == of.case_id && counter.metric == metric &&
          (counter.launch == 0 || with_launches_)) {
        found.push_back(&line);
      }
    }
    return found;
  }

  // What none of the subjects has, for one reason, is one line.
  static bool is_missing_alike(const std::vector<const CounterLine*>& lines) {
    return std::all_of(lines.begin(), lines.end(), [&](const CounterLine* line) {
      return !line->counter->value && line->counter->value == lines.front()->counter->value;
    });
  }

  void add_case(Columns& columns, const CounterRun& of) {
    std::string the_case = of.case_id == "-" ? "" : of.case_id;
    for (const auto& metric : companion_.companion.metrics) {
      const auto lines = lines_of(of, metric.name);
      if (lines.empty()) continue;
      if (is_missing_alike(lines)) {
        columns.add({the_case, metric.name, "", std::string(kDash), "", remark(*lines.front())});
        the_case.clear();
        continue;
      }
      std::string name = metric.name;
      for (const CounterLine* line : lines) {
        const Counter& counter = *line->counter;
        columns.add({the_case, name,
                     counter.launch == 0
                         ? subject_text(counter)
                         : fmt::format("  {} {}", counter.launch,
                                       short_kernel_name(counter.kernel, kMostOfAKernelName)),
                     line->per_call ? value_text(*line->per_call) : std::string(kDash),
                     line->ratio ? judge::ratio_text(*line->ratio) : "", remark(*line)});
        the_case.clear();
        name.clear();
      }
    }
    add_times(columns, of);
  }

  // Of each boundary that the cell was timed in.
  void add_times(Columns& columns, const CounterRun& of) {
    if (timed_ == nullptr) return;
    const std::string begin = of.problem + "/" + of.case_id + "/" + of.state + "/";
    for (const auto& cell : timed_->cells) {
      if (!cell.cell.starts_with(begin)) continue;
      std::string name = "time, " + cell.cell.substr(begin.size());
      std::optional<double> baseline;
      for (const auto& subject : cell.subjects) {
        if (subject.subject == experiment::control_name || !subject.median_ns) continue;
        columns.add({"", name, subject.subject, judge::time_text(*subject.median_ns),
                     baseline ? judge::ratio_text(*subject.median_ns / *baseline) : "",
                     "timed record"});
        if (!baseline) baseline = *subject.median_ns;
        name.clear();
      }
    }
  }

  static std::string remark(const CounterLine& line) {
    const Counter& counter = *line.counter;
    if (!counter.value) return counter.value.missing().reason;
    if (counter.counted_frac >= 1) return "";
    return "scaled: counted " + judge::percent_text(counter.counted_frac) + " of the time";
  }

  void footnotes() {
    out_ += "\n";
    for (const auto& metric : companion_.companion.metrics) {
      if (!metric.meaning.empty()) {
        paragraph(fmt::format("{}: {}.", metric.name, metric.meaning));
      }
    }
    for (const std::string& note : companion_.companion.notes) paragraph(note);
    std::set<std::string> told;
    for (const CounterRun& run : companion_.companion.runs) {
      for (const Missing& missing : run.missing) {
        const std::string sentence =
            missing.reason + (missing.detail.empty() ? "" : ": " + missing.detail) + ".";
        if (told.insert(sentence).second) paragraph(sentence);
      }
    }
    if (timed_ != nullptr) {
      paragraph("time: from the timed record, where no tool was at work; no time was taken here.");
    }
  }

  const CompanionRecord& companion_;
  const judge::Result* timed_;
  bool with_launches_;
  TerminalStyle style_;
  std::size_t width_;
  std::vector<CounterLine> lines_;
  std::string out_;
};

}  // namespace

std::vector<CounterLine> counter_lines(const CompanionRecord& companion) {
  using Place = std::tuple<std::string, std::string, std::string, std::string>;
  const auto place_of = [](const Counter& counter) {
    return Place{counter.problem, counter.case_id, counter.state, counter.metric};
  };
  std::map<std::int64_t, bool> is_baseline;
  for (const CounterRun& run : companion.companion.runs) is_baseline[run.number] = run.is_baseline;
  std::vector<CounterLine> lines;
  std::map<Place, Reading<double>> baselines;
  for (const Counter& counter : companion.counters) {
    CounterLine line;
    line.counter = &counter;
    const auto* metric = metric_of(companion.companion, counter.metric);
    const double calls =
        metric == nullptr || metric->is_additive ? static_cast<double>(counter.calls) : 1;
    line.per_call = counter.value.transform([calls](double value) { return value / calls; });
    if (counter.launch == 0 && is_baseline[counter.run]) {
      baselines.emplace(place_of(counter), line.per_call);
    }
    lines.push_back(line);
  }
  for (CounterLine& line : lines) {
    const auto baseline = baselines.find(place_of(*line.counter));
    if (line.counter->launch > 0) {
      line.ratio = Missing{"one-of-several", ""};
    } else if (is_baseline[line.counter->run]) {
      line.ratio = Missing{"baseline", ""};
    } else if (baseline == baselines.end() || !baseline->second) {
      line.ratio = Missing{"no-baseline", ""};
    } else if (!line.per_call) {
      line.ratio = line.per_call;
    } else if (*baseline->second == 0) {
      line.ratio = Missing{"zero-baseline", ""};
    } else {
      line.ratio = *line.per_call / *baseline->second;
    }
  }
  return lines;
}

std::string companion_table(const CompanionRecord& companion, const judge::Result* timed,
                            bool with_launches, TerminalStyle style) {
  return Table(companion, timed, with_launches, style).text();
}

Json companion_json(const CompanionRecord& companion) {
  Json counters = list_of(counter_lines(companion), [](const CounterLine& line) {
    const Counter& counter = *line.counter;
    return Json{{"run", counter.run},
                {"problem", counter.problem},
                {"case", counter.case_id},
                {"state", counter.state},
                {"subject", subject_text(counter)},
                {"launch", counter.launch},
                {"kernel", counter.kernel},
                {"metric", counter.metric},
                {"unit", counter.unit},
                {"calls", counter.calls},
                {"value", json_of(counter.value)},
                {"counted_frac", counter.counted_frac},
                {"per_call", json_of(line.per_call)},
                {"ratio_to_baseline", json_of(line.ratio)}};
  });
  return {{"record", companion.path.string()},
          {"companion", record::to_json(companion.companion)},
          {"counters", std::move(counters)}};
}

}  // namespace assay::report

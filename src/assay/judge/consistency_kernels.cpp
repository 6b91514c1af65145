// SPDX-License-Identifier: MIT
//
// kernels.csv: what the timer saw of each sample that it timed, all of it and once, in the order of
// the samples; and with the names that are known from elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "assay/judge/consistency_parts.hpp"
#include "assay/record/files.hpp"
#include "assay/record/kernels.hpp"

namespace assay::judge::detail {
namespace {

using record::KernelRuns;

// Of subjects that are given as source: the name in the machine code, by build, problem, case and
// subject. The control runs the code of a baseline.
using SourceKernels =
    std::map<std::tuple<std::string, std::string, std::string, std::string>, std::set<std::string>>;

SourceKernels source_kernels(const record::Record& record) {
  SourceKernels kernels;
  const auto file = record.path / "data" / "generated" / "kernels.json";
  if (!std::filesystem::exists(file)) return kernels;
  const Json json = parse_json(record::read_file(file), file.string());
  const auto list = json.find("kernels");
  if (list == json.end() || !list->is_array()) return kernels;
  for (const Json& entry : *list) {
    const auto text = [&](const char* member) {
      const auto found = entry.find(member);
      return found != entry.end() && found->is_string() ? found->get<std::string>() : "";
    };
    if (const std::string name = text("lowered_name"); !name.empty()) {
      kernels[{text("build"), text("problem"), text("case"), text("subject")}].insert(name);
    }
  }
  return kernels;
}

class KernelCheck {
 public:
  KernelCheck(const record::Record& record, const std::vector<KernelRuns>& kernels)
      : record_(record),
        names_(record.evidence.samples.names),
        from_source_(source_kernels(record)) {
    for (const auto& cell : record.evidence.plan.cells) {
      baselines_[cell.id()] = cell.subjects.front().name;
    }
    for (std::size_t first = 0; first < kernels.size();) {
      std::vector<const KernelRuns*> rows;
      const std::uint64_t sample = kernels[first].sample;
      for (; first < kernels.size() && kernels[first].sample == sample; ++first) {
        rows.push_back(&kernels[first]);
      }
      check_sample(sample, rows);
    }
  }

  void write(std::vector<std::string>& differences) {
    const auto& rows = record_.evidence.samples.rows;
    for (std::uint64_t i = 0; i < rows.size(); ++i) {
      const bool is_seen = rows[i].phase != record::Phase::canary &&
                           names_.name(rows[i].timer) == record::kernel_timer;
      if (is_seen && !told_.contains(i)) {
        differs("missing", i, "has no row, though its timer sees kernels");
      }
    }
    found_.write(differences);
  }

 private:
  void differs(const std::string& kind, std::uint64_t sample, const std::string& what) {
    found_.add(kind,
               fmt::format("sample {} (line {} of samples.csv) {}", sample, sample + 2, what));
  }

  void check_sample(std::uint64_t sample, const std::vector<const KernelRuns*>& rows) {
    if (!told_.insert(sample).second) {
      differs("doubled", sample, "has rows in more than one place");
    } else if (*told_.rbegin() != sample) {
      differs("order", sample, "stands after one that came later");
    }
    if (sample >= record_.evidence.samples.rows.size()) {
      if (record_.is_sealed) differs("surplus", sample, "does not exist");
      return;
    }
    const record::Sample& row = record_.evidence.samples.rows[sample];
    check_rows(sample, rows);
    if (names_.name(row.timer) != record::kernel_timer) return;
    const Reading<double> recomputed =
        record::interval_of(rows, row.iterations, record::is_uneven(names_.name(row.flags)));
    if (!recomputed) {
      differs("calls", sample, recomputed.missing().detail + " and is not flagged uneven-work");
    } else if (*recomputed != row.interval_ns) {
      differs("interval", sample,
              fmt::format("lasts {} ns by its kernels and {} ns in samples.csv", *recomputed,
                          row.interval_ns));
    }
    check_name(sample, row, rows);
  }

  void check_rows(std::uint64_t sample, const std::vector<const KernelRuns*>& rows) {
    std::set<std::tuple<std::string, std::int64_t, std::int64_t>> shapes;
    for (const KernelRuns* row : rows) {
      if (!shapes.emplace(row->kernel, row->grid, row->threads).second) {
        differs("doubled", sample,
                fmt::format("has {} with {} blocks of {} threads twice", row->kernel, row->grid,
                            row->threads));
      }
      if (!std::is_sorted(row->begins_ns.begin(), row->begins_ns.end())) {
        differs("begins", sample, "has runs that are not in the order of time");
      }
    }
  }

  void check_name(std::uint64_t sample, const record::Sample& row,
                  const std::vector<const KernelRuns*>& rows) {
    if (from_source_.empty()) return;
    std::string subject = names_.name(row.subject);
    if (subject == experiment::control_name) subject = baselines_[cell_text(row, names_)];
    const auto made = from_source_.find(
        {names_.name(row.build), names_.name(row.problem), names_.name(row.case_id), subject});
    if (made == from_source_.end()) return;
    // A driver may add to the name that it loaded a kernel by.
    const auto& known = made->second;
    const bool is_there = std::any_of(rows.begin(), rows.end(), [&](const KernelRuns* each) {
      return std::any_of(known.begin(), known.end(), [&](const std::string& name) {
        return each->kernel.find(name) != std::string::npos;
      });
    });
    if (!is_there) {
      differs("name", sample,
              "is without " + *known.begin() + ", which generated/kernels.json has for " + subject);
    }
  }

  const record::Record& record_;
  const record::Dictionary& names_;
  SourceKernels from_source_;
  std::map<std::string, std::string> baselines_;  // by cell
  std::set<std::uint64_t> told_;
  Differences found_{record::kernels_name};
};

}  // namespace

void check_kernels(const record::Record& record, std::vector<std::string>& differences) {
  const auto file = record.path / "data" / record::kernels_name;
  std::vector<KernelRuns> kernels;
  if (std::filesystem::exists(file)) kernels = record::read_kernels(file, !record.is_sealed);
  KernelCheck(record, kernels).write(differences);
}

}  // namespace assay::judge::detail

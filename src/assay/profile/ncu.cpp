// SPDX-License-Identifier: MIT
#include "assay/profile/ncu.hpp"

#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/profile/ncu_csv.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

constexpr const char* report_name = "report";  // ncu adds .ncu-rep
constexpr const char* csv_name = "ncu.csv";
constexpr const char* by_application = "application";

// All but the last of them need one pass together on GH100. Durations are not among them: those
// under a profiler are no times.
constexpr const char* usual_metrics[] = {"dram__bytes_read.sum",
                                         "dram__bytes_write.sum",
                                         "lts__t_bytes.sum",
                                         "smsp__inst_executed.sum",
                                         "sm__inst_executed_pipe_tensor.sum",
                                         "sm__warps_active.avg.pct_of_peak_sustained_active",
                                         "lts__t_sector_hit_rate.pct"};

bool is_name(const std::string& name) {
  return name.find("__") != std::string::npos && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.';
         });
}

bool holds(const std::string& text, const char* part) { return text.find(part) != text.npos; }

std::string unit_of(const std::string& name) {
  if (holds(name, ".pct") || holds(name, "_pct")) return "%";
  if (holds(name, ".ratio")) return "";
  const std::string per = holds(name, "per_second") ? "/s" : "";
  for (const auto& [part, unit] : {std::pair<const char*, const char*>{"bytes", "byte"},
                                   {"sectors", "sector"},
                                   {"requests", "request"},
                                   {"inst", "inst"},
                                   {"cycles", "cycle"},
                                   {"warps", "warp"},
                                   {"time_duration", "ns"}}) {
    if (holds(name, part)) return unit + per;
  }
  return "";
}

std::string meaning_of(const std::string& name) {
  if (name == "dram__bytes_read.sum") return "bytes read from the device's memory";
  if (name == "dram__bytes_write.sum") return "bytes written to the device's memory";
  if (name == "lts__t_bytes.sum") return "bytes asked of the second-level cache";
  if (name == "smsp__inst_executed.sum") return "instructions executed, of warps";
  if (name == "sm__inst_executed_pipe_tensor.sum") return "of these, by the tensor cores";
  if (name == "sm__warps_active.avg.pct_of_peak_sustained_active") return "achieved occupancy";
  if (name == "lts__t_sector_hit_rate.pct") return "sectors found in the second-level cache";
  return "";
}

class Ncu final : public Tool {
 public:
  Ncu(record::Tool identity, const ToolOptions& options)
      : identity_(std::move(identity)),
        replay_(options.replay.empty() ? by_application : options.replay) {
    if (!options.metrics.empty()) {
      for (const std::string& name : options.metrics) {
        if (!is_name(name)) {
          throw Error(ErrorKind::usage, "--metric " + name.substr(0, 80) +
                                            ": expected the name of one metric of Nsight Compute, "
                                            "such as dram__bytes_read.sum");
        }
        add(name);
      }
      return;
    }
    for (const char* name : usual_metrics) add(name);
    for (const std::string& name : options.declared) {
      if (is_name(name)) {
        add(name);
      } else {
        foreign_ += (foreign_.empty() ? "" : ", ") + name;
      }
    }
  }

  const record::Tool& identity() const override { return identity_; }

  std::vector<record::Metric> metrics() const override {
    std::vector<record::Metric> metrics;
    for (const std::string& name : names_) {
      metrics.push_back({name, unit_of(name), meaning_of(name), name.ends_with(".sum")});
    }
    return metrics;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes{
        "Counted in the kernels of the call and in no others; copies and fills of memory are not "
        "seen.",
        replay_ == by_application
            ? "What needs several passes was counted in several runs of the program, each of which "
              "prepared the state of the caches anew. Clocks and caches were left alone."
            : "What needs several passes was counted in repetitions of the kernel: but for the "
              "first "
              "pass the caches were as the pass before had left them, whatever the state says."};
    if (!foreign_.empty()) {
      notes.push_back("Declared by the experiment, but no metrics of Nsight Compute: " + foreign_ +
                      ".");
    }
    return notes;
  }

  std::int64_t calls(const Unit&) const override { return 1; }

  std::vector<std::string> command(const std::vector<std::string>& once,
                                   const fs::path& folder) const override {
    std::string metrics;
    for (const std::string& name : names_) metrics += (metrics.empty() ? "" : ",") + name;
    std::vector<std::string> words{identity_.path, "--profile-from-start",
                                   "off",          "--replay-mode",
                                   replay_,        "--clock-control",
                                   "none",         "--cache-control",
                                   "none",         "--metrics",
                                   metrics,        "--force-overwrite",
                                   "--export",     (folder / report_name).string()};
    words.insert(words.end(), once.begin(), once.end());
    return words;
  }

  Afterwards afterwards(const fs::path& folder) const override {
    return {{identity_.path, "--import", (folder / report_name).string() + ".ncu-rep", "--page",
             "raw", "--csv", "--print-units", "base"},
            csv_name};
  }

 private:
  void add(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }

  record::Tool identity_;
  std::string replay_;
  std::vector<std::string> names_;
  std::string foreign_;
};

// What ncu wrote into the log in which the program's own output is too.
Missing failure_of(const record::CounterRun& run, const fs::path& data, bool has_failed) {
  const auto log = raw_text(run, data, program_log_name);
  if (log && holds(*log, "ERR_NVGPUCTRPERM")) {
    return {"not-permitted",
            "the driver lets only administrators count; run as root, or load it with "
            "NVreg_RestrictProfilingToAdminUsers=0"};
  }
  if (has_failed) {
    const auto error = log ? log->find("==ERROR==") : std::string::npos;
    const std::string line =
        error == std::string::npos
            ? std::string()
            : " (" + log->substr(error, std::min(log->find('\n', error), error + 200) - error) +
                  ")";
    return {"program-failed", trouble_of(run, data) + line};
  }
  return {"nothing-counted", "ncu saw no kernel in the call"};
}

// Of all kernels of a call together.
Reading<double> together(const std::vector<Reading<double>>& values, bool is_additive) {
  for (const auto& value : values) {
    if (!value) return value.missing();
  }
  if (values.size() == 1) return values.front();
  if (!is_additive) {
    return Missing{"not-additive",
                   "the call has several kernels, and what is no count of each is "
                   "none of all; --details shows them"};
  }
  double sum = 0;
  for (const auto& value : values) sum += *value;
  return sum;
}

}  // namespace

std::unique_ptr<Tool> open_ncu(const ToolOptions& options) {
  if (!options.device.starts_with("cuda") && !options.device.starts_with("fake:")) {
    throw Error(
        ErrorKind::usage,
        "--tool ncu counts what a GPU does, and the record is of the device " + options.device);
  }
  if (!options.replay.empty() && options.replay != by_application && options.replay != "kernel") {
    throw Error(ErrorKind::usage,
                "--replay " + options.replay + ": expected application or kernel");
  }
  const fs::path path = find_tool("ncu", options.path, "install Nsight Compute");
  return std::make_unique<Ncu>(
      record::Tool{ncu_name, version_of(path, "Version", options.interrupted), path.string()},
      options);
}

std::vector<CountedValue> ncu_values(const record::Companion& companion,
                                     const record::CounterRun& run, const fs::path& data) {
  std::vector<CountedValue> values;
  if (run.end->by_signal || run.end->code != 0)
    return all_missing(companion, failure_of(run, data, true));
  const bool has_report = std::any_of(run.raw.begin(), run.raw.end(), [](const std::string& file) {
    return file.ends_with(std::string(report_name) + ".ncu-rep");
  });
  if (!has_report) return all_missing(companion, failure_of(run, data, false));
  const auto text = raw_text(run, data, csv_name);
  if (!text) return all_missing(companion, text.missing());
  const auto kernels = parse_ncu_csv(*text, csv_name);
  if (kernels.empty()) return all_missing(companion, failure_of(run, data, false));
  for (const auto& metric : companion.metrics) {
    std::vector<Reading<double>> of_kernels;
    for (const KernelMetrics& kernel : kernels) {
      const auto found = kernel.values.find(metric.name);
      of_kernels.push_back(found == kernel.values.end()
                               ? Missing{"not-reported", "ncu does not report " + metric.name}
                               : found->second);
    }
    values.push_back({metric.name, together(of_kernels, metric.is_additive), 1, 0, ""});
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      values.push_back(
          {metric.name, of_kernels[i], 1, static_cast<std::int64_t>(i) + 1, kernels[i].kernel});
    }
  }
  return values;
}

}  // namespace assay::profile

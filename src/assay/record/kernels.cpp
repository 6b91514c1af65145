// SPDX-License-Identifier: MIT
#include "assay/record/kernels.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "assay/record/csv.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

constexpr std::array kernels_columns{
    integer_column("sample", "",
                   "the row of `samples.csv`, counted from 0: 0 is the line after the header"),
    text_column("kernel", "the name as the device's compiler made it; `[memcpy]`, `[memset]`"),
    integer_column("grid", "", "blocks of the launch; 0 for what is no kernel"),
    integer_column("threads", "", "threads of a block; 0 for what is no kernel"),
    Column{"begins_ns", Column::Type::integers, "ns",
           "when each run began, counted from the sample's `start_ns`; ascending, separated by one "
           "blank"},
    Column{"durations_ns", Column::Type::integers, "ns",
           "how long each run took, as many as `begins_ns`"},
};

constexpr std::array<std::string_view, 4> kernels_key{"sample", "kernel", "grid", "threads"};

void append_list(std::string& out, const std::vector<std::int64_t>& numbers) {
  bool is_first = true;
  for (const std::int64_t number : numbers) {
    if (!is_first) out += ' ';
    is_first = false;
    csv::append_number(out, number);
  }
}

std::vector<std::int64_t> take_list(csv::Row& row, std::string_view column) {
  std::string_view text = row.text(column);
  std::vector<std::int64_t> numbers;
  while (true) {
    const std::size_t end = text.find(' ');
    numbers.push_back(row.to_integer<std::int64_t>(text.substr(0, end), 0));
    if (end == std::string_view::npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

KernelRuns runs_of(csv::Row& row) {
  KernelRuns runs;
  runs.sample = row.integer<std::uint64_t>("sample", 0);
  runs.kernel = row.text("kernel");
  csv::expect_plain(runs.kernel);
  runs.grid = row.integer<std::int64_t>("grid", 0);
  runs.threads = row.integer<std::int64_t>("threads", 0);
  runs.begins_ns = take_list(row, "begins_ns");
  runs.durations_ns = take_list(row, "durations_ns");
  if (runs.begins_ns.size() != runs.durations_ns.size()) {
    row.fail("must hold as many numbers as begins_ns does");
  }
  return runs;
}

}  // namespace

const std::string_view kernels_header = header_of<kernels_columns>;
const Table kernels_table{kernels_name,
                          "What the device did in each sample: a row holds the runs of one kernel "
                          "with one launch shape in one sample.",
                          kernels_columns,
                          kernels_key,
                          {}};

void append_csv(std::string& out, const KernelRuns& runs) {
  ASSAY_EXPECTS(!runs.begins_ns.empty() && runs.begins_ns.size() == runs.durations_ns.size());
  csv::append_number(out, runs.sample);
  out += ',';
  csv::append_field(out, runs.kernel);
  out += ',';
  csv::append_number(out, runs.grid);
  out += ',';
  csv::append_number(out, runs.threads);
  out += ',';
  append_list(out, runs.begins_ns);
  out += ',';
  append_list(out, runs.durations_ns);
  out += '\n';
}

std::vector<KernelRuns> parse_kernels(std::string_view text, std::string_view where,
                                      bool allow_cut_tail) {
  csv::Lines lines{std::string(where), kernels_header};
  std::vector<KernelRuns> all;
  lines.add(text, [&](csv::Row& row) { all.push_back(runs_of(row)); });
  lines.finish(allow_cut_tail);
  return all;
}

std::vector<KernelRuns> read_kernels(const std::filesystem::path& file, bool allow_cut_tail) {
  return parse_kernels(read_file(file), file.string(), allow_cut_tail);
}

bool is_uneven(std::string_view flags) {
  return flags.find("uneven-work") != std::string_view::npos;
}

// Unsigned, so that no number that a file can hold overflows into undefined behaviour.
Reading<double> interval_of(const std::vector<const KernelRuns*>& rows, std::int64_t calls,
                            bool is_uneven) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
  for (const KernelRuns* row : rows) {
    for (std::size_t i = 0; i < row->begins_ns.size(); ++i) {
      runs.emplace_back(static_cast<std::uint64_t>(row->begins_ns[i]),
                        static_cast<std::uint64_t>(row->durations_ns[i]));
    }
  }
  std::sort(runs.begin(), runs.end());
  const auto count = static_cast<std::int64_t>(runs.size());
  const std::int64_t groups = is_uneven ? 1 : calls;
  if (count == 0 || count % groups != 0) {
    return Missing{"uneven-work", "has " + std::to_string(count) + " runs in " +
                                      std::to_string(groups) + " calls"};
  }
  const auto per_call = static_cast<std::size_t>(count / groups);
  std::uint64_t sum_ns = 0;
  for (std::size_t first = 0; first < runs.size(); first += per_call) {
    std::uint64_t end_ns = 0;
    for (std::size_t i = first; i < first + per_call; ++i) {
      end_ns = std::max(end_ns, runs[i].first + runs[i].second);
    }
    sum_ns += end_ns - runs[first].first;
  }
  return static_cast<double>(sum_ns);
}

}  // namespace assay::record

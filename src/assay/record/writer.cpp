// SPDX-License-Identifier: MIT
#include "assay/record/writer.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "assay/base/digest.hpp"
#include "assay/base/time.hpp"
#include "assay/record/archive.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/files.hpp"
#include "assay/record/mend.hpp"
#include "assay/record/new_directory.hpp"
#include "assay/record/package.hpp"
#include "assay/record/sample_rows.hpp"
#include "assay/record/seals.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

constexpr const char* resumed_log = "logs/resumed.log";

// Held as long as the record is written. File systems that know no locks are not an error.
Descriptor lock(const fs::path& record) {
  Descriptor directory(::open(record.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open() && ::flock(directory.fd(), LOCK_EX | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK) {
    throw Error(ErrorKind::bad_input,
                "cannot write " + record.string() +
                    ": another process is writing this record. Wait for it to end, or end it.");
  }
  return directory;
}

AppendFile new_table(const fs::path& path, std::string_view header) {
  AppendFile table = AppendFile::create(path);
  table.append(std::string(header) + "\n");
  table.sync();
  return table;
}

// Without the half line that a process leaves which is killed while writing.
AppendFile old_table(const fs::path& path, std::string_view header) {
  if (!fs::exists(path)) {
    AppendFile table = new_table(path, header);
    sync_directory(path.parent_path());
    return table;
  }
  std::uint64_t read_bytes = 0;
  std::uint64_t whole_bytes = 0;
  read_pieces(path, [&](std::string_view piece) {
    const auto last_break = piece.rfind('\n');
    if (last_break != std::string_view::npos) whole_bytes = read_bytes + last_break + 1;
    read_bytes += piece.size();
  });
  AppendFile table = AppendFile::reopen(path);
  table.cut_to(whole_bytes);
  if (whole_bytes == 0) table.append(std::string(header) + "\n");
  return table;
}

// Its columns come from its rows: without a whole one it is made again.
std::optional<AppendFile> old_telemetry(const fs::path& path) {
  if (!fs::exists(path)) return std::nullopt;
  std::ptrdiff_t lines = 0;
  read_pieces(
      path, [&](std::string_view piece) { lines += std::count(piece.begin(), piece.end(), '\n'); });
  if (lines >= 2) return old_table(path, "");
  fs::remove(path);
  return std::nullopt;
}

void remove_leftovers(const fs::path& record) {
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::recursive_directory_iterator(record)) {
    if (entry.is_regular_file() && is_partial_file(entry.path())) leftovers.push_back(entry);
  }
  // A sealing that was interrupted: without the manifest, which comes last, they mean nothing.
  for (const char* tag_file : {"bagit.txt", "bag-info.txt", tag_manifest_name}) {
    leftovers.push_back(record / tag_file);
  }
  leftovers.push_back(record / "data" / package_name);
  for (const auto& leftover : leftovers) fs::remove(leftover);
}

// What the library's directory functions throw becomes ours.
[[noreturn]] void throw_again_as_ours(const fs::path& record) {
  try {
    throw;
  } catch (const fs::filesystem_error& error) {
    throw write_error("seal", record, error.code().value());
  }
}

void expect_resumable(const fs::path& record) {
  const auto refuse = [&record](const std::string& why) {
    throw Error(ErrorKind::bad_input, "cannot go on with " + record.string() + ": " + why);
  };
  if (!fs::is_regular_file(record / "data" / "plan.json")) refuse("it is not a record");
  if (is_bag(record)) refuse("it is sealed, and nothing enters a sealed record. Start a new run.");
  const auto differences = seal_differences(record / "data");
  if (!differences.empty()) refuse(differences.front() + ". Start a new run.");
  const auto lost = lost_of(record / "data");
  if (!lost.empty()) {
    refuse(lost.front() +
           ". No interruption does that: bring it back from a copy, or start a new run. What is "
           "here stays readable.");
  }
}

}  // namespace

struct Writer::State {
  fs::path path;
  Descriptor lock;
  std::optional<AppendFile> samples;
  std::optional<AppendFile> trials;
  std::optional<AppendFile> command_runs;
  std::optional<AppendFile> kernels;
  std::optional<AppendFile> telemetry;
  std::optional<AppendFile> startup;
  bool is_sealed = false;
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Writer Writer::create(const fs::path& parent, const std::string& name,
                      const std::string& utc_compact, const std::string& plan_text,
                      const std::string& sealed_utc, const std::string& experiment_text,
                      const std::string& environment_text) {
  const std::string hash = sha256_hex(plan_text);
  auto state = std::make_unique<State>();
  state->path = new_directory(
      parent, safe_name(name) + "-" + safe_name(utc_compact) + "-" + hash.substr(0, 8));
  const fs::path data = state->path / "data";
  try {
    state->lock = lock(state->path);
    make_directories(data);
    if (!environment_text.empty()) {
      write_file(data / "environment.json", environment_text, IfThere::refuse);
    }
    if (!experiment_text.empty()) {
      write_file(data / "experiment.toml", experiment_text, IfThere::refuse);
    }
    state->samples = new_table(data / samples_name, samples_header);
    state->trials = new_table(data / trials_name, trials_header);
    write_file(data / seals_name, seal_text("plan.json", plan_text, sealed_utc), IfThere::refuse);
    sync_directory(data);
    write_file(data / "plan.json", plan_text, IfThere::refuse);
    sync_directory(data);
    sync_directory(state->path);
    sync_directory(parent);
  } catch (...) {
    // Nothing was measured yet, and half a record would only puzzle whoever finds it.
    std::error_code ignored;
    fs::remove_all(state->path, ignored);
    throw;
  }
  return Writer(std::move(state));
}

Writer Writer::reopen(const fs::path& record) {
  if (!fs::is_directory(record)) {
    throw Error(ErrorKind::bad_input,
                "cannot go on with " + record.string() + ": there is no such directory");
  }
  auto state = std::make_unique<State>();
  state->path = record;
  state->lock = lock(record);
  expect_resumable(record);
  try {
    remove_leftovers(record);
  } catch (const fs::filesystem_error& error) {
    throw write_error("tidy up", record, error.code().value());
  }
  const Mended mended = mend_tables(record / "data");
  state->samples = old_table(record / "data" / samples_name, samples_header);
  state->trials = old_table(record / "data" / trials_name, trials_header);
  if (fs::exists(record / "data" / command_runs_name)) {
    state->command_runs = old_table(record / "data" / command_runs_name, command_runs_header);
  }
  if (fs::exists(record / "data" / kernels_name)) {
    state->kernels = old_table(record / "data" / kernels_name, kernels_header);
  }
  if (fs::exists(record / "data" / startup_name)) {
    state->startup = old_table(record / "data" / startup_name, startup_header);
  }
  state->telemetry = old_telemetry(record / "data" / telemetry_name);
  Writer writer(std::move(state));
  for (const Trial& row : mended.rows) writer.append_trial(row);
  writer.note(mended.notes);
  return writer;
}

const fs::path& Writer::path() const noexcept { return state_->path; }
fs::path Writer::data() const { return state_->path / "data"; }

fs::path Writer::file_of(const std::string& name) const {
  const fs::path relative(name);
  ASSAY_EXPECTS(!name.empty() && relative.is_relative());
  for (const auto& part : relative) ASSAY_EXPECTS(part != ".." && part != "." && !part.empty());
  return data() / relative;
}

fs::path Writer::log_file(const std::string& name) const {
  const fs::path file = file_of("logs/" + name);
  make_directories(file.parent_path());
  return file;
}

void Writer::append_samples(const SampleTable& table, std::size_t first_row) {
  ASSAY_EXPECTS(!state_->is_sealed && state_->samples && first_row <= table.rows.size());
  constexpr std::size_t piece_bytes = 1 << 18;
  std::string text;
  for (std::size_t i = first_row; i < table.rows.size(); ++i) {
    const std::size_t before = text.size();
    try {
      append_csv(text, table, table.rows[i]);
    } catch (const Error&) {
      // The rows before this one are good.
      text.resize(before);
      state_->samples->append(text);
      throw;
    }
    if (text.size() >= piece_bytes) {
      state_->samples->append(text);
      text.clear();
    }
  }
  state_->samples->append(text);
}

void Writer::append_trial(const Trial& trial) {
  ASSAY_EXPECTS(!state_->is_sealed && state_->trials);
  std::string text;
  append_csv(text, trial);
  sync_tables();
  state_->trials->append(text);
}

void Writer::sync_tables() {
  for (auto* table : {&state_->samples, &state_->command_runs, &state_->kernels, &state_->telemetry,
                      &state_->startup}) {
    if (*table) (*table)->sync();
  }
}

// What resuming did, with its time, after what it did before.
void Writer::note(const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  const fs::path file = file_of(resumed_log);
  std::string text = fs::exists(file) ? read_file(file) : "";
  const std::string now = utc_now_text();
  for (const std::string& line : lines) text += now + " " + line + "\n";
  write_text(resumed_log, text, true);
}

void Writer::append_command_runs(const std::vector<CommandRun>& runs) {
  ASSAY_EXPECTS(!state_->is_sealed);
  if (runs.empty()) return;
  if (!state_->command_runs) {
    state_->command_runs = old_table(data() / command_runs_name, command_runs_header);
  }
  std::string text;
  for (const CommandRun& run : runs) append_csv(text, run);
  state_->command_runs->append(text);
}

void Writer::append_kernels(const std::vector<KernelRuns>& kernels) {
  ASSAY_EXPECTS(!state_->is_sealed);
  if (kernels.empty()) return;
  if (!state_->kernels) state_->kernels = old_table(data() / kernels_name, kernels_header);
  std::string text;
  for (const KernelRuns& runs : kernels) append_csv(text, runs);
  state_->kernels->append(text);
}

void Writer::append_telemetry(const std::vector<TelemetryRow>& rows, std::size_t first_row) {
  ASSAY_EXPECTS(!state_->is_sealed && first_row <= rows.size());
  if (first_row == rows.size()) return;
  if (!state_->telemetry) {
    state_->telemetry =
        old_table(data() / telemetry_name, telemetry_header(rows[first_row].telemetry.fields()));
  }
  std::string text;
  for (std::size_t i = first_row; i < rows.size(); ++i) append_csv(text, rows[i]);
  state_->telemetry->append(text);
}

void Writer::append_startup(const std::vector<StartupRow>& rows, std::size_t first_row) {
  ASSAY_EXPECTS(!state_->is_sealed && first_row <= rows.size());
  if (first_row == rows.size()) return;
  if (!state_->startup) state_->startup = old_table(data() / startup_name, startup_header);
  std::string text;
  for (std::size_t i = first_row; i < rows.size(); ++i) append_csv(text, rows[i]);
  state_->startup->append(text);
}

void Writer::write_checks(const Json& checks) { write_json("checks.json", checks, true); }
void Writer::write_checks(const Checks& checks) { write_checks(to_json(checks)); }

void Writer::seal_calibration(const Json& calibration, const std::string& sealed_utc) {
  const std::string text = json_text(calibration);
  write_text("calibration.json", text);
  const std::string seals = read_file(file_of(seals_name));
  write_text(seals_name, seals + seal_text("calibration.json", text, sealed_utc), true);
}

void Writer::write_json(const std::string& name, const Json& json, bool replace) {
  write_text(name, json_text(json), replace);
}

void Writer::write_text(const std::string& name, const std::string& text, bool replace) {
  ASSAY_EXPECTS(!state_->is_sealed);
  const fs::path file = file_of(name);
  make_directories(file.parent_path());
  write_file(file, text, replace ? IfThere::replace : IfThere::refuse);
}

std::vector<std::string> Writer::archive(const fs::path& source, const std::string& name,
                                         std::uint64_t limit_bytes) {
  ASSAY_EXPECTS(!state_->is_sealed);
  return archive_folder(source, file_of(name), limit_bytes);
}

void Writer::seal(const std::map<std::string, std::string>& bag_info) {
  ASSAY_EXPECTS(!state_->is_sealed);
  for (auto* table : {&state_->samples, &state_->trials, &state_->command_runs, &state_->kernels,
                      &state_->telemetry, &state_->startup}) {
    if (!*table) continue;  // closed by an earlier attempt that failed further on
    (*table)->sync();
    (*table)->close();
    table->reset();
  }
  auto info = bag_info;
  info.emplace("Bag-Software-Agent", "Assay");
  info.emplace("Bagging-Date", utc_now_text().substr(0, 10));
  info.emplace("External-Identifier", record_name(state_->path));
  const fs::path package = data() / package_name;
  try {
    const auto digests = table_digests(state_->path);
    write_file(package, package_text(state_->path, info["External-Identifier"], digests),
               IfThere::replace);
    write_bag(state_->path, info, digests);
  } catch (...) {
    // It belongs to a seal.
    std::error_code ignored;
    fs::remove(package, ignored);
    throw_again_as_ours(state_->path);
  }
  state_->is_sealed = true;
}

}  // namespace assay::record

// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstring>
#include <optional>

#include "assay/env/environment.hpp"
#include "assay/env/facts.hpp"
#include "assay/env/process.hpp"

namespace assay::env {
namespace {

constexpr std::chrono::seconds time_limit{20};

// Git as an onlooker: it takes no locks, starts no programs that the repository names and prints
// for machines.
ProcessOutput git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                  std::uint64_t limit_bytes) {
  std::vector<std::string> command = {
      "git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-C", folder.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_process(command, {"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}, limit_bytes, time_limit);
}

// Why git gave no answer, or nothing if it did.
std::optional<Missing> refusal(const ProcessOutput& output) {
  if (output.start_errno == ENOENT) return Missing{"git-not-found", "there is no git in PATH"};
  if (output.start_errno != 0) {
    return Missing{"git-not-started", std::strerror(output.start_errno)};
  }
  if (output.timed_out) return Missing{"git-timed-out", "git gave no answer in 20 s"};
  if (output.exit_status == 0 || output.is_cut) return std::nullopt;
  const std::string first_line = as_utf8(output.err.substr(0, output.err.find('\n')));
  const bool is_none = output.err.find("not a git repository") != std::string::npos;
  return Missing{is_none ? "no-repository" : "git-refused", first_line};
}

Json all_missing(const Missing& missing) {
  Json json = Json::object();
  for (const char* name : {"revision", "dirty", "diff", "untracked"}) {
    json[name] = sourced(Reading<std::string>(missing), "git");
  }
  return json;
}

}  // namespace

Json source_revision(const std::filesystem::path& folder, std::uint64_t diff_limit_bytes) {
  constexpr std::uint64_t list_limit_bytes = std::uint64_t{1} << 20;
  const auto head = git(folder, {"rev-parse", "--verify", "HEAD"}, list_limit_bytes);
  if (const auto missing = refusal(head)) return all_missing(*missing);
  Json json{{"revision",
             sourced(Reading<std::string>(std::string(trimmed(head.out))), "git rev-parse HEAD")}};

  // -z: names as they are, each ended by a NUL. "?? " marks those that git does not know.
  const auto status =
      git(folder, {"status", "--porcelain", "-z", "--no-renames"}, list_limit_bytes);
  if (const auto missing = refusal(status)) {
    json["dirty"] = sourced(Reading<bool>(*missing), "git status");
    json["untracked"] = sourced(Reading<bool>(*missing), "git status");
  } else {
    Json untracked = Json::array();
    bool is_dirty = false;
    for (const auto& entry : split(status.out, '\0')) {
      if (entry.rfind("?? ", 0) == 0) {
        untracked.push_back(as_utf8(entry.substr(3)));
      } else {
        is_dirty = true;
      }
    }
    json["dirty"] = sourced(Reading<bool>(is_dirty), "git status: tracked files");
    json["untracked"] = sourced(Reading<Json>(std::move(untracked)), "git status");
    if (status.is_cut) json["untracked"]["is_complete"] = false;
  }

  const auto diff = git(folder, {"diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD"},
                        diff_limit_bytes);
  if (const auto missing = refusal(diff)) {
    json["diff"] = sourced(Reading<std::string>(*missing), "git diff HEAD");
  } else {
    json["diff"] = sourced(Reading<std::string>(as_utf8(diff.out)), "git diff HEAD");
    json["diff"]["is_complete"] = !diff.is_cut;
  }
  return json;
}

}  // namespace assay::env

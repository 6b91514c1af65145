// SPDX-License-Identifier: MIT
#include "assay/device/cuda/includes.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "assay/base/digest.hpp"

namespace assay::device::cuda {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string name;
  bool is_quoted = false;
};

struct Found {
  std::vector<Include> includes;
  bool has_computed = false;
};

constexpr std::string_view blanks = " \t";

std::string_view without_blanks(std::string_view text) {
  const auto start = text.find_first_not_of(blanks);
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

// The rest of a line after "#" and "include".
void take(std::string_view rest, Found& found) {
  rest = without_blanks(rest);
  if (rest.empty()) return;
  const char open = rest.front();
  if (open == '"' || open == '<') {
    const auto end = rest.find(open == '<' ? '>' : '"', 1);
    if (end != std::string_view::npos) {
      found.includes.push_back({std::string(rest.substr(1, end - 1)), open == '"'});
      return;
    }
  }
  const bool begins_a_name =
      open == '_' || (open >= 'A' && open <= 'Z') || (open >= 'a' && open <= 'z');
  found.has_computed = found.has_computed || begins_a_name;
}

Found includes_of(std::string_view text) {
  Found found;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto hash = line.find('#');
    if (hash == std::string_view::npos) continue;
    std::string_view rest = without_blanks(line.substr(hash + 1));
    for (const std::string_view word : {"include_next", "include"}) {
      if (rest.substr(0, word.size()) != word) continue;
      rest.remove_prefix(word.size());
      // "#includes are sorted" is prose.
      if (!rest.empty() && (blanks.find(rest.front()) != std::string_view::npos ||
                            rest.front() == '"' || rest.front() == '<')) {
        // In a comment any word may follow; a directive is alone on its line.
        const bool is_directive = line.find_first_not_of(blanks) == hash;
        Found of_line;
        take(rest, of_line);
        found.has_computed = found.has_computed || (is_directive && of_line.has_computed);
        for (Include& include : of_line.includes) found.includes.push_back(std::move(include));
      }
      break;
    }
  }
  return found;
}

// The values of an option that is written "-Ivalue", "-I value", "--name=value" or "--name value".
void take_option(const std::vector<std::string>& options, std::size_t i, std::string_view name,
                 bool may_be_joined, std::vector<std::string>& values) {
  const std::string& option = options[i];
  if (option == name) {
    if (i + 1 < options.size()) values.push_back(options[i + 1]);
  } else if (option.compare(0, name.size(), name) == 0) {
    const std::string rest = option.substr(name.size());
    if (rest.front() == '=') {
      values.push_back(rest.substr(1));
    } else if (may_be_joined) {
      values.push_back(rest);
    }
  }
}

class Scan {
 public:
  Scan(std::vector<fs::path> folders, const std::vector<fs::path>& toolkit)
      : folders_(std::move(folders)) {
    for (const fs::path& each : toolkit) {
      toolkit_.push_back((each.lexically_normal() / "").string());
    }
  }

  void of(const std::string& text, const fs::path& folder) {
    const Found found = includes_of(text);
    // What a macro names in the toolkit's own headers is another of them, and those belong to the
    // compiler's version.
    has_computed = has_computed || (found.has_computed && !is_toolkit(folder));
    for (const Include& include : found.includes) look_for(include, folder);
  }
  void look_for(const Include& include, const fs::path& folder) {
    const fs::path name(include.name);
    if (name.is_absolute()) {
      add(name);
      return;
    }
    // Every place that has one counts: which of them is taken is NVRTC's to decide.
    if (include.is_quoted) add(folder / name);
    for (const fs::path& each : folders_) add(each / name);
  }

  std::vector<IncludedFile> files;
  bool has_computed = false;
  std::string unreadable;

 private:
  void add(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed)) return;
    const fs::path plain = path.lexically_normal();
    if (!seen_.insert(plain.string()).second) return;
    const auto text = bytes_of_file(plain);
    if (!text) {
      if (unreadable.empty()) unreadable = plain.string();
      return;
    }
    files.push_back({plain, sha256_hex(*text)});
    of(*text, plain.parent_path());
  }

  bool is_toolkit(const fs::path& folder) const {
    const std::string text = (folder / "").string();
    return std::any_of(toolkit_.begin(), toolkit_.end(), [&](const std::string& each) {
      return text.compare(0, each.size(), each) == 0;
    });
  }

  std::vector<fs::path> folders_;
  std::vector<std::string> toolkit_;
  std::set<std::string> seen_;
};

}  // namespace

std::optional<std::string> bytes_of_file(const fs::path& path) {
  const std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream bytes;
  // Nothing to copy counts as a failure of the copying.
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  if (failed || (size > 0 && !(bytes << stream.rdbuf()))) return std::nullopt;
  return bytes.str();
}

Reading<std::vector<IncludedFile>> included_files(const std::string& source,
                                                  const std::string& file_name,
                                                  const std::vector<std::string>& options,
                                                  const std::vector<fs::path>& toolkit) {
  std::vector<std::string> folders;
  std::vector<std::string> pre_includes;
  for (std::size_t i = 0; i < options.size(); ++i) {
    take_option(options, i, "-I", true, folders);
    take_option(options, i, "--include-path", false, folders);
    take_option(options, i, "-include", false, pre_includes);
    take_option(options, i, "--pre-include", false, pre_includes);
  }
  std::vector<fs::path> searched(folders.begin(), folders.end());
  // The folder of the source is searched for those in angle brackets too.
  searched.push_back(fs::path(file_name).parent_path());
  searched.insert(searched.end(), toolkit.begin(), toolkit.end());
  Scan scan(searched, toolkit);
  for (const std::string& name : pre_includes) scan.look_for({name, true}, "");
  scan.of(source, fs::path(file_name).parent_path());
  if (scan.has_computed) {
    return Missing{
        "computed-include",
        "a macro names a file that is included, so that what was compiled cannot be told"};
  }
  if (!scan.unreadable.empty()) {
    return Missing{"unreadable-include", "cannot read " + scan.unreadable};
  }
  return std::move(scan.files);
}

}  // namespace assay::device::cuda

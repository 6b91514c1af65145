// SPDX-License-Identifier: MIT
#include "assay/record/archive.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "assay/record/bag.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

// What is left out is listed in JSON, which is UTF-8.
std::string as_text(const fs::path& path) {
  std::string text = path.generic_string();
  if (!is_utf8(text)) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; },
        '?');
  }
  return text;
}

class Archive {
 public:
  Archive(fs::path target, std::uint64_t limit_bytes)
      : target_(std::move(target)), limit_bytes_(limit_bytes), left_bytes_(16 * limit_bytes) {}

  void add_folder(const fs::path& folder, const fs::path& below) {
    std::error_code failure;
    std::vector<fs::path> names;
    for (auto entry = fs::directory_iterator(folder, failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
      names.push_back(entry->path().filename());
    }
    if (failure) {
      leave_out(below.empty() ? fs::path(".") : below, "cannot be read: " + failure.message());
    }
    // A fixed order, so that the limit on the whole leaves the same out each time.
    std::sort(names.begin(), names.end());
    for (const auto& name : names) add(folder / name, below / name);
  }

  void add_file(const fs::path& file, const fs::path& below) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(file, failure);
    if (failure) return leave_out(below, "cannot be read: " + failure.message());
    if (bytes > limit_bytes_) {
      return leave_out(below, std::to_string(bytes) + " bytes are above the limit of " +
                                  std::to_string(limit_bytes_));
    }
    if (bytes > left_bytes_) return leave_out(below, "the archive is full");
    copy(file, below);
  }

  std::vector<std::string> left_out() && { return std::move(left_out_); }

 private:
  void add(const fs::path& path, const fs::path& below) {
    std::error_code failure;
    const auto status = fs::status(path, failure);
    if (!is_utf8(below.generic_string())) {
      leave_out(below, "its name is not UTF-8");
    } else if (status.type() == fs::file_type::regular) {
      add_file(path, below);
    } else if (status.type() != fs::file_type::directory) {
      leave_out(below, "not a file");
    } else if (fs::is_symlink(fs::symlink_status(path, failure))) {
      leave_out(below, "a link to a folder");
    } else if (const char* why = why_not(path)) {
      leave_out(below, why);
    } else {
      add_folder(path, below);
    }
  }

  const char* why_not(const fs::path& folder) const {
    const std::string name = folder.filename().string();
    std::error_code ignored;
    if (name == "build" || fs::exists(folder / "CMakeCache.txt", ignored)) {
      return "a build folder";
    }
    if (name == "records" || fs::exists(folder / "data" / "plan.json", ignored)) {
      return "holds records";
    }
    if (name == ".git") return "the history; the environment names the revision";
    if (name == "__pycache__") return "a cache";
    return nullptr;
  }

  void copy(const fs::path& file, const fs::path& below) {
    const fs::path target = below.empty() ? target_ : target_ / below;
    std::optional<AppendFile> copied;
    const auto to_copy = [&]() -> AppendFile& {
      if (!copied) {
        make_directories(target.parent_path());
        copied = AppendFile::create(target);
      }
      return *copied;
    };
    try {
      read_pieces(file, [&](std::string_view piece) { to_copy().append(piece); });
      left_bytes_ -= std::min(left_bytes_, to_copy().size_bytes());
      copied->close();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_input) throw;
      std::error_code ignored;
      if (copied) fs::remove(target, ignored);
      return leave_out(below, error.what());
    }
    std::error_code ignored;
    const auto executable = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    const auto mode = fs::status(file, ignored).permissions() & executable;
    if (mode != fs::perms::none) fs::permissions(target, mode, fs::perm_options::add, ignored);
  }

  void leave_out(const fs::path& below, const std::string& why) {
    left_out_.push_back(as_text(below) + ": " + why);
  }

  fs::path target_;
  std::uint64_t limit_bytes_;
  std::uint64_t left_bytes_;
  std::vector<std::string> left_out_;
};

}  // namespace

std::vector<std::string> archive_folder(const fs::path& source, const fs::path& target,
                                        std::uint64_t limit_bytes) {
  std::error_code failure;
  const auto status = fs::status(source, failure);
  if (!fs::exists(status)) {
    throw Error(ErrorKind::bad_input,
                "cannot archive " + source.string() + ": there is no such file or folder");
  }
  if (fs::exists(fs::symlink_status(target, failure))) {
    throw write_error("archive into", target, EEXIST);
  }
  Archive archive(target, limit_bytes);
  if (status.type() == fs::file_type::directory) {
    archive.add_folder(source, {});
  } else {
    archive.add_file(source, {});
  }
  return std::move(archive).left_out();
}

}  // namespace assay::record

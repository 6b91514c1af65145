// SPDX-License-Identifier: MIT
#include "assay/record/companion.hpp"

#include "assay/base/counted.hpp"
#include "assay/base/digest.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/files.hpp"
#include "assay/record/reader.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::bad_input, "cannot open the companion " + path.string() + ": " + why);
}

std::vector<std::string> changes_of(const fs::path& record) {
  try {
    return integrity_differences(record);
  } catch (const Error& error) {
    return {error.what()};
  }
}

}  // namespace

std::string record_digest(const fs::path& record) {
  if (!is_bag(record) || !fs::exists(record / tag_manifest_name)) {
    throw Error(ErrorKind::bad_input, "the record " + record.string() +
                                          " is not sealed, so that nothing could name what is in "
                                          "it. Go on with: assay run --resume " +
                                          record.string());
  }
  return sha256_hex_of_file(record / tag_manifest_name);
}

bool is_companion(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path / "data" / companion_name, failure);
}

CompanionRecord open_companion(const fs::path& path) {
  if (!is_companion(path)) refuse(path, std::string("it has no data/") + companion_name);
  try {
    const fs::path data = path / "data";
    const std::string where = (data / companion_name).string();
    CompanionRecord record;
    record.path = path;
    record.is_sealed = is_bag(path);
    record.companion = companion_from_json(parse_json(read_file(where), where), where);
    record.counters = read_counters(data / counters_name);
    return record;
  } catch (const fs::filesystem_error& error) {
    refuse(path, error.what());
  }
}

std::vector<std::string> companion_integrity_differences(const fs::path& path) {
  if (!is_bag(path)) {
    return {std::string(
                "the companion was never sealed: it has no manifests, so nothing says whether its "
                "files were changed. ") +
            unsealed_companion_advice};
  }
  try {
    return bag_differences(path);
  } catch (const fs::filesystem_error& error) {
    refuse(path, error.what());
  }
}

Reading<fs::path> timed_record_beside(const CompanionRecord& companion) {
  const TimedRecord& of = companion.companion.of;
  // A name is one folder's: what a file says must not lead elsewhere.
  const fs::path name(of.name);
  const bool is_plain =
      !of.name.empty() && name.filename() == name && of.name != "." && of.name != "..";
  const fs::path beside = fs::absolute(companion.path).lexically_normal().parent_path() / name;
  std::error_code failure;
  if (!is_plain || !fs::exists(beside / tag_manifest_name, failure)) {
    return Missing{"not-beside", "the timed record " + of.name + " does not lie beside it"};
  }
  if (sha256_hex_of_file(beside / tag_manifest_name) != of.digest) {
    return Missing{"other-digest",
                   "what lies beside it as " + of.name + " is not the record that it is about"};
  }
  // The digest is that of a list: whether the files are still those of the list is another
  // question.
  const std::vector<std::string> changes = changes_of(beside);
  if (!changes.empty()) {
    const std::size_t others = changes.size() - 1;
    return Missing{"changed",
                   "the timed record " + of.name +
                       " beside it is not as it was sealed: " + changes.front() +
                       (others == 0 ? ""
                                    : ", and " + counted(others, "difference") +
                                          " more (assay verify " + beside.string() + ")")};
  }
  return beside;
}

}  // namespace assay::record

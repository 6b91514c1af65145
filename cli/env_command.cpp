// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>

#include "assay/base/error.hpp"
#include "assay/env/differences.hpp"
#include "assay/env/environment.hpp"
#include "assay/env/text.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// An environment is a few hundred kilobytes at most, a diff of the source included.
constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;

Json environment_of_file(const fs::path& file) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) {
    throw Error(ErrorKind::bad_input,
                file.string() +
                    " is not there, or no file: expected a record, an environment.json "
                    "(from a record or `assay env --json`), or \"now\"");
  }
  if (fs::file_size(file, failure) > most_bytes || failure) {
    throw Error(ErrorKind::bad_input,
                file.string() + " is longer than any environment.json: 64 MiB at most");
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream && !stream.eof()) {
    throw Error(ErrorKind::bad_input, "cannot read " + file.string());
  }
  return parse_json(text, file.string());
}

// "now", a record's directory, or a file.
Json environment_named(const std::string& name) {
  if (name == "now") return env::environment_of_this_machine();
  const fs::path path = name;
  std::error_code ignored;
  const Json environment =
      environment_of_file(fs::is_directory(path, ignored) ? path / "data/environment.json" : path);
  if (!environment.is_object() ||
      environment.value("format", Json()) != Json(env::environment_format)) {
    throw Error(ErrorKind::bad_input, name + ": this is no environment of the format \"" +
                                          std::string(env::environment_format) +
                                          "\", which this Assay reads");
  }
  return environment;
}

}  // namespace

int env_command(const EnvOptions& options) {
  check_json_target(options.json);
  Json environment = env::environment_of_this_machine();
  environment["machine_fingerprint"] = env::machine_fingerprint(environment);
  if (options.json.is_wanted()) print_json(options.json, environment);
  if (!options.json.is_stdout()) print(env::environment_text(environment));
  return 0;
}

int env_diff_command(const EnvOptions& options) {
  check_json_target(options.json);
  const Json before = environment_named(options.before);
  const Json after = environment_named(options.after);
  const auto differences = env::differences(before, after);
  if (options.json.is_wanted()) {
    print_json(options.json, Json{{"before", options.before},
                                  {"after", options.after},
                                  {"differences", env::to_json(differences)}});
  }
  if (!options.json.is_stdout()) print(env::differences_text(differences));
  return 0;
}

}  // namespace assay::cli

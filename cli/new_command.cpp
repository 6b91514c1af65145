// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <system_error>

#include "assay/base/error.hpp"
#include "assay/experiment/scaffold.hpp"
#include "assay/record/reader.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

std::string text_from(const record::Record& record, const std::string& path) {
  try {
    return experiment::experiment_text_from_plan(record.evidence.plan);
  } catch (const Error& error) {
    throw Error(error.kind(),
                "cannot write an experiment from the record " + path + ": " + error.what());
  }
}

}  // namespace

int new_command(const NewOptions& options) {
  const std::filesystem::path folder(options.name);
  if (options.from.empty()) {
    experiment::write_scaffold(folder, folder.filename().string());
    print("Wrote " + folder.string() + "/. Next:\n\n  cmake -S " + folder.string() + " -B " +
          folder.string() + "/build && cmake --build " + folder.string() + "/build\n  assay run " +
          folder.string() + "\n");
    return 0;
  }
  const record::Record from = record::open(options.from);
  const std::string text = text_from(from, options.from);
  std::error_code trouble;
  const bool is_new = std::filesystem::create_directories(folder, trouble);
  if (trouble) {
    throw Error(ErrorKind::write,
                "cannot make the folder " + folder.string() + ": " + trouble.message(),
                trouble.value());
  }
  if (!is_new) {
    throw Error(ErrorKind::usage, folder.string() + " exists already: choose another name");
  }
  const auto file = folder / "experiment.toml";
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw Error(ErrorKind::write, "cannot write " + file.string());
  print("Wrote " + file.string() +
        ". Write down the question and the prediction, then:\n\n  assay run " + folder.string() +
        "\n");
  return 0;
}

}  // namespace assay::cli

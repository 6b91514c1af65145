// SPDX-License-Identifier: MIT
//
// make_sample_record PARENT: writes a sealed record below it and prints its path; for validators
// that are not ours.
#include <cstdio>
#include <exception>

#include "assay/record/writer.hpp"
#include "rows.hpp"
#include "some_plan.hpp"

int main(int argc, char** argv) {
  using namespace assay;
  using namespace assay::record;
  if (argc != 2) return 2;
  try {
    constexpr const char* utc = "2026-11-29T21:44:05+00:00";
    Writer writer = Writer::create(argv[1], "sum", "20261129T214405Z",
                                   json_text(to_json(some_plan())), utc, "name = \"sum\"\n");
    writer.seal_calibration(to_json(some_calibration()), utc);
    writer.append_samples(ordinary_samples(100), 0);
    writer.append_trial(ordinary_trial());
    writer.write_checks(some_checks());
    writer.write_text("source/with blank – and dash.cpp", "int main() {}\n");
    writer.write_text("logs/line\nbreak.log", "");
    writer.seal({{"Bag-Software-Agent", "assay 0.1.0"}});
    std::puts(writer.path().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// SPDX-License-Identifier: MIT
#include "assay/measure/main.hpp"

#include <iostream>
#include <string>
#include <vector>

#include "assay/measure/caller.hpp"
#include "assay/measure/once.hpp"
#include "assay/measure/quick_look.hpp"
#include "assay/measure/worker.hpp"

namespace assay {
namespace {

constexpr int exit_usage = 2;
constexpr int exit_failed = 5;

void help(const std::string& program, std::ostream& out) {
  out << "Usage: " << program << "                      a quick look at every subject\n"
      << "       " << program
      << " --device ID          the same on another device than cpu: cuda, "
         "cuda:N\n"
      << "       " << program << " --list               problems, subjects and cases\n"
      << "       " << program << " --once SUBJECT CASE  one call, for debuggers and profilers\n"
      << "       " << program << " --help               this text\n"
      << "\n"
      << "SUBJECT is a name, or PROBLEM/NAME. CASE is as --list shows it, in quotes: \"n=1024 "
         "dtype=f32\".\n"
      << "After them: --device ID, where (default cpu); --state STATE, made ready for as a sample "
         "in "
         "it is;\n--calls N, so many. The calls are made within the function assay_counted_calls.\n"
      << "To measure, and to keep a record:  assay run " << program << '\n';
}

int by_hand(const std::string& program_path, const std::vector<std::string>& arguments,
            const Program& program) {
  if (arguments.empty()) {
    measure::quick_look(program, program_path, measure::default_device, std::cout);
    return 0;
  }
  const std::string& what = arguments.front();
  if (what == "--device" && arguments.size() == 2) {
    measure::quick_look(program, program_path, arguments[1], std::cout);
    return 0;
  }
  if (what == "--help" && arguments.size() == 1) {
    help(program_path, std::cout);
    return 0;
  }
  if (what == "--list" && arguments.size() == 1) {
    measure::list(program, std::cout);
    return 0;
  }
  if (what == "--once" && arguments.size() >= 3) {
    measure::once(program, measure::once_from({arguments.begin() + 1, arguments.end()}), std::cout);
    return 0;
  }
  std::cerr << program_path << ": cannot make sense of '" << what << "'";
  if (arguments.size() > 1) std::cerr << " with " << arguments.size() - 1 << " more arguments";
  std::cerr << "\n\n";
  help(program_path, std::cerr);
  return exit_usage;
}

}  // namespace

int main(int argc, char** argv, const Program& program) {
  const std::string path = argc > 0 ? argv[0] : "program";
  try {
    if (measure::is_started_as_worker()) return measure::serve_as_worker(program);
    return by_hand(path, {argv + std::min(argc, 1), argv + argc}, program);
  } catch (const Error& error) {
    std::cerr << path << ": " << error.what() << '\n';
    return error.kind() == ErrorKind::usage || error.kind() == ErrorKind::bad_input ? exit_usage
                                                                                    : exit_failed;
  } catch (...) {
    std::cerr << path << ": " << measure::message_of_current_exception() << '\n';
    return exit_failed;
  }
}

}  // namespace assay

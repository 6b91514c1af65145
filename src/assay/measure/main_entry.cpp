// SPDX-License-Identifier: MIT
//
// main() for programs that link assay::main and write assay::define only.
#include <exception>
#include <iostream>

#include "assay/measure/main.hpp"

int main(int argc, char** argv) {
  assay::Program program;
  try {
    assay::define(program);
  } catch (const std::exception& error) {
    std::cerr << "cannot define the program: " << error.what() << '\n';
    return 2;
  }
  return assay::main(argc, argv, program);
}

// SPDX-License-Identifier: MIT
//
// The entry of a program. Link assay::assay and call assay::main yourself, or link assay::main and
// write assay::define only.
#pragma once

#include "assay/measure/program.hpp"

namespace assay {

// Serves the worker protocol when the assay command started the process (ASSAY_FD is set). By hand:
// without arguments a quick look at every subject and how to run the experiment; --list; --once
// SUBJECT CASE runs one call, for debuggers and profilers. Returns the exit status; throws nothing.
int main(int argc, char** argv, const Program& program);

// Written by the user of the CMake target assay::main, which supplies main() itself.
void define(Program& program);

}  // namespace assay

// SPDX-License-Identifier: MIT
//
// What the stand-in driver that works (fake_driver_working) is told, and what it saw. It captures
// fills and copies into graphs as the header of CUDA says a driver does; its device takes time by a
// clock of its own.
#pragma once

#include <cuda.h>

#include <map>
#include <set>
#include <vector>

namespace assay::device::cuda {

struct FakeWork {
  // Told.
  int version = 13000;  // of CUDA
  CUresult of_module_load = CUDA_ERROR_NOT_SUPPORTED;
  double node_ns = 1000;
  double launch_ns = 7000;  // of a graph, however large it is
  CUresult of_instantiate = CUDA_SUCCESS;
  CUresult of_synchronize = CUDA_SUCCESS;  // outside of a capture
  CUresult of_end_of_capture = CUDA_SUCCESS;
  bool never_leaves_capture = false;

  // Seen.
  double clock_ns = 0;
  CUstream capturing = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  bool is_invalid = false;  // the capture
  std::vector<CUgraphNodeType> captured;
  std::map<CUgraph, std::vector<CUgraphNodeType>> graphs;  // that are there
  std::map<CUgraphExec, std::size_t> executables;          // and their nodes
  std::set<CUgraphExec> uploaded;
  std::vector<std::size_t> launches;  // nodes of the graphs, in order
  int captures = 0;
  int at_once = 0;  // fills and copies that no capture took
};

// By the name "fake_work" in the library.
using FakeWorkFunction = FakeWork* (*)();

}  // namespace assay::device::cuda

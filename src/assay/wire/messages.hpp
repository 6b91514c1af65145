// SPDX-License-Identifier: MIT
//
// The messages between the parent and a worker: JSON Lines, one object a line, on the file
// descriptor ASSAY_FD. The parent asks, the worker answers once; nothing else is ever sent.
// docs/reference/worker-protocol.md is the contract for workers in any language.
//
// Every request carries {"assay": 1, "nonce": …, "id": n, "ask": KIND}; every answer repeats nonce
// and id and has "answer": KIND, or "error". The nonce of a trial keeps a worker from answering
// with what an earlier one left in a pipe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/base/ceilings.hpp"
#include "assay/base/json.hpp"
#include "assay/base/memory_use.hpp"
#include "assay/base/reading.hpp"
#include "assay/base/rotation.hpp"
#include "assay/base/startup.hpp"
#include "assay/base/telemetry.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/outcome.hpp"

namespace assay::wire {

inline constexpr int protocol_version = 1;
inline constexpr const char* fd_variable = "ASSAY_FD";
inline constexpr const char* nonce_variable = "ASSAY_NONCE";
// Bytes that the worker allocates first and keeps, so that all later allocations lie elsewhere.
inline constexpr const char* heap_variable = "ASSAY_HEAP_BYTES";
inline constexpr const char* padding_variable = "ASSAY_PADDING";  // moves the stack by its length
inline constexpr const char* mark_fd_variable = "ASSAY_MARK_FD";  // optional: see mark.hpp

struct CellId {
  std::string problem;
  Case the_case;
  std::string state;
  std::string boundary;
};

struct Describe {
  std::string device = "cpu";  // "cpu", "cuda:0", "fake:SCRIPT.json"
  // What this process is for: the boundary and the timer of all of its cells. Empty: a plan is
  // about to be made, and whatever the device offers is to be described.
  std::string boundary;
  std::string timer;
  // Whether the device's facts, and the steps and floors of its timers, are asked for: a plan and
  // the calibration need them.
  bool measures = false;
  // Whether what the device reaches at most is asked for, of devices that measure it for each plan:
  // once a run is enough.
  bool ceilings = false;
  // Cases to describe instead of the program's own, by problem; a problem that is absent here uses
  // its own.
  std::map<std::string, std::vector<Case>> cases;
};
struct Prepare {
  CellId cell;
  std::vector<std::string>
      subjects;  // names in this build; "control" is not among them: it is the baseline's code
  std::string baseline;  // whose code runs as the control; empty if this build has none
  std::uint64_t content_key = 0;
  std::string timer;
  std::vector<int> single_core;  // affinity for single-threaded subjects; empty: leave as it is
  std::vector<int> all_cores;    // affinity for threaded ones
  std::int64_t trial = 0;        // for the fake device's script and for messages
};
struct Check {
  std::string
      kind;  // "before", "timed" (outputs kept by the last block), "adversarial", "gate-power"
  std::vector<std::string> subjects;
  std::uint64_t content_key = 0;
};
struct Block {
  std::vector<std::string> order;  // subject names and "control"
  std::int64_t iterations = 1;
  std::uint64_t content_key = 0;  // 0: leave the content as it is
  bool keep_outputs = false;      // copy each output aside after its sample, for a check "timed"
  std::string phase;              // "calibration", "warm-up", "measure"
  std::int64_t block = 0;
};
// The worker's own two kernels, which are the same in every program: what their times do is the
// machine's doing. A worker may refuse.
struct Canary {
  std::string moment;            // of the trial: "start", "end"
  std::string timer;             // empty: the device's default
  std::vector<int> single_core;  // affinity; empty: leave as it is
  std::int64_t trial = 0;
};
// The limits of the device that the worker has opened. Only assay-probe holds the kernels: other
// workers refuse.
struct Ceilings {
  double budget_s = 20;  // to spend on it; some rows are missing if it is short
};
struct Idle {};
struct End {};
using Request = std::variant<Describe, Prepare, Check, Block, Canary, Ceilings, Idle, End>;

struct InputDigest {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::string sha256;
};
// Code that was made from a subject's source in the process that measures it.
struct Generated {
  std::string subject;
  std::string kernel;        // as asked for
  std::string lowered_name;  // in the machine code
  std::string architecture;
  std::string compiler;
  std::vector<std::string> options;
  std::string source_sha256;
  std::string cubin_sha256;
  std::string ptx_sha256;
  std::int64_t compile_ns = 0;   // of the compilation, whenever it was
  std::int64_t obtained_ns = 0;  // what it took this process to have it
  bool is_from_cache = false;
  // Files from which the record takes copies.
  Reading<std::string> cubin_file = Missing{"not-kept", ""};
  Reading<std::string> ptx_file = Missing{"not-kept", ""};
  std::vector<std::int64_t> grid;  // x, y, z
  std::vector<std::int64_t> block;
  std::int64_t dynamic_shared_bytes = 0;
  Reading<std::int64_t> registers = Missing{"not-asked", ""};  // of a thread
  Reading<std::int64_t> static_shared_bytes = Missing{"not-asked", ""};
  Reading<std::int64_t> local_bytes = Missing{"not-asked", ""};  // of a thread
  Reading<std::int64_t> spill_store_bytes = Missing{"not-asked", ""};
  Reading<std::int64_t> spill_load_bytes = Missing{"not-asked", ""};
  Reading<std::int64_t> max_threads = Missing{"not-asked", ""};  // of a block
  Reading<double> occupancy_frac = Missing{"not-asked", ""};     // theoretical, of warps
  Reading<std::string> occupancy_limited_by = Missing{"not-asked", ""};
};
Json to_json(const Generated& generated);

struct Prepared {
  std::vector<InputDigest> inputs;
  std::int64_t footprint_bytes = 0;
  std::optional<std::int64_t>
      max_iterations;                // 1 where an in-place input must be restored before every call
  std::optional<Rotation> rotation;  // of a cell that rotates
  struct Preparation {
    std::string subject;
    double interval_ns = 0;
    std::int64_t reuse_count = 0;
  };
  std::vector<Preparation> preparations;
  std::vector<Generated> generated;  // of subjects that are given as source
  std::vector<experiment::Failure>
      failures;  // subjects whose preparation failed; they are out of the cell
};
struct Checked {
  std::vector<experiment::CheckResult> results;
  double reference_ns = 0;  // time that the reference took
};
// The runs of one kernel with one launch shape in an interval, by the device's clock.
struct KernelRuns {
  std::string kernel;
  std::int64_t grid = 0;                // blocks; 0 for what is no kernel
  std::int64_t threads = 0;             // of a block
  std::vector<std::int64_t> begins_ns;  // since SampleTaken::start_ns
  std::vector<std::int64_t> durations_ns;
};
struct SampleTaken {
  std::string subject;  // as in Block::order
  double interval_ns = 0;
  std::int64_t start_ns = 0;             // CLOCK_MONOTONIC
  std::string flags;                     // "", or slugs separated by blanks: "migrated", "switched"
  std::vector<KernelRuns> kernels = {};  // what the device did meanwhile, of timers that see it
};
// What the device said of itself before and after the samples of an answer.
struct DeviceMeanwhile {
  Telemetry before;
  Telemetry after;
};
// How the process came to its first call.
struct StartupTold {
  // CLOCK_MONOTONIC, of the worker's first step: where the phase `start` ends, of which only the
  // parent knows the beginning.
  std::int64_t began_ns = 0;
  Startup phases;  // the others; missing as "not-told" where the worker leaves them out
};
struct BlockDone {
  std::vector<SampleTaken> samples;  // in the order in which they were taken
  // A subject threw: it has no sample, the others do. After one of kind "device-lost" the block
  // ended, and so did the worker.
  std::vector<experiment::Failure> failures;
  std::optional<DeviceMeanwhile> device;  // of devices that tell
  std::optional<MemoryUse> memory;        // of the subject, in calibration, of devices that tell
  std::optional<StartupTold> startup;     // of the boundary cold-start
};
struct CanaryDone {
  // One call each, in the order in which they were taken; the subject is "canary-compute" or
  // "canary-memory".
  std::vector<SampleTaken> samples;
};
struct CeilingsDone {
  MachineCeilings ceilings;
};
struct Idled {};
struct Ended {};
// The worker could not do what was asked and says why; it stays alive, unless the kind is
// "device-lost": then nothing can be asked of its device any more, and it ends.
struct Refused {
  std::string kind;  // "usage", "device", "device-lost", "subject"
  std::string message;
  std::string subject;
};
using Answer = std::variant<experiment::ProgramDescription, Prepared, Checked, BlockDone,
                            CanaryDone, CeilingsDone, Idled, Ended, Refused>;

struct Envelope {
  std::string nonce;
  std::int64_t id = 0;
};

// One line with its newline.
std::string to_line(const Envelope& envelope, const Request& request);
std::string to_line(const Envelope& envelope, const Answer& answer);
// Throw Error{worker} that quotes the start of the line and says what was expected. The line comes
// without its newline.
std::pair<Envelope, Request> request_from_line(std::string_view line);
std::pair<Envelope, Answer> answer_from_line(std::string_view line);

}  // namespace assay::wire

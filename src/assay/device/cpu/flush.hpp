// SPDX-License-Identifier: MIT
//
// Flushing line by line: cold means that the subject's own bytes are in no cache. Reading other
// memory until they are displaced, the usual way, needs several times the last-level cache; on
// machines that report half a gigabyte of it, a flush of 64 MiB by line takes a millisecond, and
// leaves no dirty line that the subject would have to pay for. Internal to device.
#pragma once

#include <cstddef>

namespace assay::device {

// How lines are flushed here: "clflushopt", "clflush", "dc civac", or "none".
const char* flush_method();

// Starts the write-back and invalidation of every line that holds a byte of it; wait_for_flushes()
// ends it.
void flush_lines(const void* data, std::size_t bytes);
void wait_for_flushes();

}  // namespace assay::device

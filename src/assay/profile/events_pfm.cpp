// SPDX-License-Identifier: MIT
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>

#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/profile/events.hpp"

namespace assay::profile {
namespace {

void expect_ready() {
  static const int status = pfm_initialize();
  if (status != PFM_SUCCESS) {
    throw Error(ErrorKind::worker,
                std::string("libpfm4 cannot be used here: ") + pfm_strerror(status), status);
  }
}

// Whether the name itself says in which modes to count.
bool has_mode(const std::string& name) {
  for (std::size_t at = name.find(':'); at != std::string::npos; at = name.find(':', at + 1)) {
    const auto end = std::min(name.find(':', at + 1), name.size());
    const std::string part = name.substr(at + 1, end - at - 1);
    if (part == "u" || part == "k" || part.starts_with("u=") || part.starts_with("k=")) return true;
  }
  return false;
}

std::string description_of(int index) {
  pfm_event_info_t info{};
  info.size = sizeof info;
  if (pfm_get_event_info(index, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS || info.desc == nullptr) {
    return "";
  }
  std::string text = info.desc;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

NamedEvent event_of_name(const std::string& name) {
  expect_ready();
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  pfm_perf_encode_arg_t encoded{};
  encoded.size = sizeof encoded;
  encoded.attr = &attributes;
  const int status = pfm_get_os_event_encoding(name.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT, &encoded);
  if (status != PFM_SUCCESS) {
    throw Error(ErrorKind::usage,
                "--event " + name.substr(0, 80) +
                    ": libpfm4 knows no such event on this processor (" + pfm_strerror(status) +
                    "); expected a name in its syntax, such as INSTRUCTIONS or "
                    "PMU::EVENT:MASK:u",
                status);
  }
  NamedEvent named;
  named.name = name;
  named.unit = "events";
  named.meaning = description_of(encoded.idx);
  named.event.type = attributes.type;
  named.event.config = attributes.config;
  named.event.config1 = attributes.config1;
  named.event.config2 = attributes.config2;
  named.event.in_user = attributes.exclude_user == 0;
  named.event.in_kernel = attributes.exclude_kernel == 0;
  if (attributes.type == PERF_TYPE_SOFTWARE && !has_mode(name)) {
    named.event.in_user = named.event.in_kernel = true;
    const bool is_clock = attributes.config == PERF_COUNT_SW_CPU_CLOCK ||
                          attributes.config == PERF_COUNT_SW_TASK_CLOCK;
    if (is_clock) {
      named.unit = "ns";
      named.meaning += ": while it was counted, no time of the subject";
    }
  }
  return named;
}

// Its own version is that of its interface, 4.0 for ever.
std::string events_library() { return "libpfm4"; }

}  // namespace assay::profile

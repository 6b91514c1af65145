// SPDX-License-Identifier: MIT
//
// The name of a kernel for a reader. Records keep names as the device's compiler wrote them: those
// are what profilers and other records are matched by. Here they are demangled, and shortened by
// what tells least, since names of instantiated templates fill pages. Internal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::report {

// As the C++ runtime demangles it, without the result `void` and the parameters; what is not
// mangled, or cannot be demangled, as it is.
std::string readable_kernel_name(std::string_view name);

// The same in at most so many columns: where it is too long, without namespaces and classes, then
// also without the arguments of its arguments, then without arguments, and at last cut off. What
// was left out between the brackets of a template shows as "…".
std::string short_kernel_name(std::string_view name, std::size_t columns);

}  // namespace assay::report

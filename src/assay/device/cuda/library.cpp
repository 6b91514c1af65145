// SPDX-License-Identifier: MIT
#include "assay/device/cuda/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

namespace assay::device::cuda {

Reading<Library> Library::open(const std::vector<std::string>& names) {
  std::string reasons;
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return Library(name, handle);
    const char* reason = dlerror();
    reasons += (reasons.empty() ? "" : "; ") + std::string(reason == nullptr ? name : reason);
  }
  return Missing{"not-found", reasons};
}

std::vector<std::string> Library::names_in_toolkit(const char* variable,
                                                   const std::vector<std::string>& sonames) {
  if (const char* chosen = std::getenv(variable); chosen != nullptr && *chosen != 0) {
    return {chosen};
  }
  std::vector<std::string> names = sonames;
  std::vector<std::string> folders;
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != 0) {
    folders.push_back(std::string(home) + "/lib64");
  }
  folders.emplace_back("/usr/local/cuda/lib64");
  for (const std::string& folder : folders) {
    for (const std::string& name : sonames) names.push_back(folder + "/" + name);
  }
  return names;
}

void* Library::find(const char* symbol) const noexcept { return dlsym(handle_, symbol); }

std::string Library::path() const {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name[0] != '\0') {
    return map->l_name;
  }
  return name_;
}

}  // namespace assay::device::cuda

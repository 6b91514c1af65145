// SPDX-License-Identifier: MIT
#include "assay/device/cuda/nvrtc.hpp"

#include <nvrtc.h>

#include <cstdlib>

#include "assay/base/error.hpp"
#include "assay/base/time.hpp"
#include "assay/device/cuda/library.hpp"

// All of them are in NVRTC 11.1 and later.
#define ASSAY_NVRTC_FUNCTIONS(X) \
  X(nvrtcGetErrorString)         \
  X(nvrtcVersion)                \
  X(nvrtcGetNumSupportedArchs)   \
  X(nvrtcGetSupportedArchs)      \
  X(nvrtcCreateProgram)          \
  X(nvrtcDestroyProgram)         \
  X(nvrtcCompileProgram)         \
  X(nvrtcGetPTXSize)             \
  X(nvrtcGetPTX)                 \
  X(nvrtcGetCUBINSize)           \
  X(nvrtcGetCUBIN)               \
  X(nvrtcGetProgramLogSize)      \
  X(nvrtcGetProgramLog)          \
  X(nvrtcAddNameExpression)      \
  X(nvrtcGetLoweredName)

namespace assay::device::cuda {

namespace fs = std::filesystem;

struct Nvrtc::Functions {
#define ASSAY_NVRTC_MEMBER_(function) decltype(&::function) function = nullptr;
  ASSAY_NVRTC_FUNCTIONS(ASSAY_NVRTC_MEMBER_)
#undef ASSAY_NVRTC_MEMBER_

  void check(nvrtcResult result, const char* what) const {
    if (result == NVRTC_SUCCESS) return;
    throw Error(ErrorKind::device, std::string(what) + ": " + nvrtcGetErrorString(result), result);
  }
};

namespace {

template <typename Functions>
class OpenProgram {
 public:
  OpenProgram(const Functions& functions, const SourceCode& code) : functions_(&functions) {
    functions.check(
        functions.nvrtcCreateProgram(&program_, code.source.c_str(),
                                     code.file_name.empty() ? nullptr : code.file_name.c_str(), 0,
                                     nullptr, nullptr),
        "nvrtcCreateProgram");
  }
  ~OpenProgram() { functions_->nvrtcDestroyProgram(&program_); }
  OpenProgram(const OpenProgram&) = delete;
  OpenProgram& operator=(const OpenProgram&) = delete;

  nvrtcProgram handle() const noexcept { return program_; }

  // What a pair of functions gives, one its size and the other its bytes.
  template <typename Size, typename Get>
  std::string bytes(Size size_of, Get get, const char* what) const {
    std::size_t size = 0;
    functions_->check(size_of(program_, &size), what);
    std::string text(size, '\0');
    if (size > 0) functions_->check(get(program_, text.data()), what);
    return text;
  }
  std::string text_without_end(std::string text) const {
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

 private:
  const Functions* functions_;
  nvrtcProgram program_ = nullptr;
};

std::string joined(const std::vector<std::string>& texts, const char* between) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : between) + text;
  return all;
}

// "V13.0.88" of "// Cuda compilation tools, release 13.0, V13.0.88": the version has no more than
// two numbers.
std::string build_in(const std::string& ptx) {
  const auto line = ptx.find("Cuda compilation tools");
  if (line == std::string::npos) return {};
  const auto end = ptx.find('\n', line);
  const auto start = ptx.find(", V", line);
  if (start == std::string::npos || start > end) return {};
  return ptx.substr(start + 2, end - start - 2);
}

}  // namespace

Reading<Nvrtc> Nvrtc::open(const std::vector<std::string>& names) {
  const Reading<Library> library = Library::open(names);
  if (!library) {
    return Missing{
        "no-nvrtc",
        "the CUDA compiler library NVRTC cannot be opened: " + library.missing().detail +
            ". Install it with the CUDA toolkit, or set ASSAY_NVRTC_LIBRARY to its file"};
  }
  Nvrtc nvrtc;
  nvrtc.path_ = library->path();
  auto functions = std::make_shared<Functions>();
  std::string lacking;
#define ASSAY_NVRTC_FIND_(function)                                                                \
  functions->function = reinterpret_cast<decltype(functions->function)>(library->find(#function)); \
  if (functions->function == nullptr && lacking.empty()) lacking = #function;
  ASSAY_NVRTC_FUNCTIONS(ASSAY_NVRTC_FIND_)
#undef ASSAY_NVRTC_FIND_
  if (!lacking.empty()) {
    return Missing{"nvrtc-too-old", nvrtc.path_ + " has no " + lacking +
                                        ": Assay needs NVRTC of CUDA 12.0 or later"};
  }
  if (functions->nvrtcVersion(&nvrtc.major_, &nvrtc.minor_) != NVRTC_SUCCESS) {
    return Missing{"nvrtc-failed", nvrtc.path_ + " does not tell its version"};
  }
  nvrtc.functions_ = functions;
  const std::string version = std::to_string(nvrtc.major_) + "." + std::to_string(nvrtc.minor_);
  // NVRTC opens this one by name only, and finds it elsewhere or not at all where the loader does
  // not search the folder that NVRTC came from. One that is open already, it finds.
  const fs::path builtins =
      fs::path(nvrtc.path_).parent_path() / ("libnvrtc-builtins.so." + version);
  if (builtins.has_parent_path()) static_cast<void>(Library::open({builtins.string()}));
  std::error_code failed;
  const auto size = fs::file_size(nvrtc.path_, failed);
  nvrtc.identity_ = "NVRTC " + version + ", " + (failed ? "?" : std::to_string(size)) + " bytes";
  return nvrtc;
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  functions_->check(functions_->nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> found(static_cast<std::size_t>(count));
  if (count > 0) {
    functions_->check(functions_->nvrtcGetSupportedArchs(found.data()), "nvrtcGetSupportedArchs");
  }
  return found;
}

Compiled Nvrtc::compile(const SourceCode& code) const {
  Compiled compiled;
  compiled.options = code.options;
  compiled.architecture = architecture_in(code.options);
  if (compiled.architecture.empty()) {
    compiled.architecture = code.architecture;
    compiled.options.push_back("--gpu-architecture=" + code.architecture);
  }
  compiled.options.emplace_back("--ptxas-options=-v");
  // A result out of a cache of NVRTC's own would give a compile time that is none.
  if (major_ >= 13) compiled.options.emplace_back("--no-cache");
  for (const fs::path& folder : toolkit_includes(path_)) {
    compiled.options.push_back("--include-path=" + folder.string());
  }
  std::vector<const char*> options;
  for (const std::string& option : compiled.options) options.push_back(option.c_str());

  const std::int64_t start_ns = monotonic_ns();
  const OpenProgram<Functions> program(*functions_, code);
  for (const std::string& name : code.names) {
    functions_->check(functions_->nvrtcAddNameExpression(program.handle(), name.c_str()),
                      "nvrtcAddNameExpression");
  }
  const nvrtcResult result = functions_->nvrtcCompileProgram(
      program.handle(), static_cast<int>(options.size()), options.data());
  compiled.log = program.text_without_end(program.bytes(
      functions_->nvrtcGetProgramLogSize, functions_->nvrtcGetProgramLog, "nvrtcGetProgramLog"));
  if (result != NVRTC_SUCCESS) {
    const std::string what = "cannot compile " + code.file_name + " for " + compiled.architecture;
    if (result == NVRTC_ERROR_COMPILATION) {
      throw Error(
          ErrorKind::bad_input,
          what + " (kernel " + joined(code.names, ", ") + "):\n" + first_errors(compiled.log),
          result);
    }
    if (result == NVRTC_ERROR_INVALID_OPTION) {
      std::string known;
      for (const int number : architectures()) known += " sm_" + std::to_string(number);
      throw Error(ErrorKind::bad_input,
                  what + " with the options " + joined(compiled.options, " ") + ": " +
                      first_errors(compiled.log) + "\nThis NVRTC compiles for" + known,
                  result);
    }
    throw Error(ErrorKind::device,
                what + ": " + functions_->nvrtcGetErrorString(result) + " " + compiled.log, result);
  }
  compiled.cubin =
      program.bytes(functions_->nvrtcGetCUBINSize, functions_->nvrtcGetCUBIN, "nvrtcGetCUBIN");
  compiled.ptx = program.text_without_end(
      program.bytes(functions_->nvrtcGetPTXSize, functions_->nvrtcGetPTX, "nvrtcGetPTX"));
  compiled.compile_ns = monotonic_ns() - start_ns;
  if (compiled.cubin.empty()) {
    throw Error(ErrorKind::bad_input, "compiling " + code.file_name + " for " +
                                          compiled.architecture +
                                          " gives no machine code: name an architecture that is "
                                          "one, such as sm_90, not compute_90");
  }
  for (const std::string& name : code.names) {
    const char* lowered = nullptr;
    functions_->check(functions_->nvrtcGetLoweredName(program.handle(), name.c_str(), &lowered),
                      "nvrtcGetLoweredName");
    compiled.lowered_names[name] = lowered;
  }
  compiled.compiler = "NVRTC " + std::to_string(major_) + "." + std::to_string(minor_);
  if (const std::string build = build_in(compiled.ptx); !build.empty()) {
    compiled.compiler += " (" + build + ")";
  }
  return compiled;
}

std::vector<std::string> nvrtc_names() {
  return Library::names_in_toolkit("ASSAY_NVRTC_LIBRARY", {"libnvrtc.so.13", "libnvrtc.so.12"});
}

const Reading<Nvrtc>& nvrtc() {
  static const Reading<Nvrtc> opened = Nvrtc::open(nvrtc_names());
  return opened;
}

std::vector<fs::path> toolkit_includes(const fs::path& library) {
  std::error_code failed;
  const fs::path real = fs::canonical(library, failed);
  if (failed) return {};
  // lib64/ or targets/x86_64-linux/lib/: the headers are beside either.
  const fs::path include = real.parent_path().parent_path() / "include";
  if (!fs::exists(include / "cuda_fp16.h", failed)) return {};
  std::vector<fs::path> folders{include};
  // Since CUDA 13 the C++ core libraries have a folder of their own.
  if (fs::exists(include / "cccl", failed)) folders.push_back(include / "cccl");
  return folders;
}

}  // namespace assay::device::cuda

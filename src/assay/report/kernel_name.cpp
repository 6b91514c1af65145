// SPDX-License-Identifier: MIT
#include "assay/report/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "assay/report/columns.hpp"

namespace assay::report {
namespace {

constexpr std::string_view kResult = "void ";  // of every kernel
constexpr std::string_view kMangled = "_Z";
// The compiler gives it another name in each file, which tells a reader nothing.
constexpr std::string_view kAnonymous = "(anonymous namespace)::";

bool opens(char c) { return c == '<' || c == '(' || c == '{' || c == '['; }
bool closes(char c) { return c == '>' || c == ')' || c == '}' || c == ']'; }
char closing(char c) { return c == '<' ? '>' : c == '(' ? ')' : c == '{' ? '}' : ']'; }

// Whether every bracket has its own. Of a name with an operator such as "->" or "<" that cannot be
// told, and nothing is taken out of it.
bool is_balanced(std::string_view text) {
  std::vector<char> open;
  for (const char c : text) {
    if (opens(c)) open.push_back(closing(c));
    if (!closes(c)) continue;
    if (open.empty() || open.back() != c) return false;
    open.pop_back();
  }
  return open.empty();
}

std::optional<std::string> demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || text == nullptr) return std::nullopt;
  return std::string(text.get());
}

std::string without_anonymous(std::string text) {
  for (std::size_t at = 0; (at = text.find(kAnonymous, at)) != std::string::npos;) {
    text.erase(at, kAnonymous.size());
  }
  return text;
}

// Of "sum<4>(float const*, float*)" what stands before the parameters.
std::string without_parameters(std::string text) {
  if (text.empty() || text.back() != ')' || !is_balanced(text)) return text;
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (closes(text[i])) ++depth;
    if (!opens(text[i])) continue;
    if (--depth > 0) continue;
    text.erase(i);
    break;
  }
  return text;
}

// Of "cub::Reduce<cub::Policy<a::b>, int>" it leaves "Reduce<Policy<b>, int>".
std::string without_scopes(std::string_view text) {
  std::string out;
  std::vector<std::size_t> begins{0};  // of the name that is being read, at each depth of brackets
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':' && i + 1 < text.size() && text[i + 1] == ':') {
      out.erase(begins.back());
      ++i;
      continue;
    }
    if (closes(c)) begins.pop_back();
    out += c;
    if (opens(c)) begins.push_back(out.size());
    if (c == ' ' || c == ',' || c == '*' || c == '&') begins.back() = out.size();
  }
  return out;
}

// What stands in more than so many brackets of templates becomes "…".
std::string without_arguments_below(std::string_view text, int most_depth) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    if (c == '>') --depth;
    if (depth <= most_depth) out += c;
    if (c == '<' && depth++ == most_depth) out += "…";
  }
  return out;
}

}  // namespace

std::string readable_kernel_name(std::string_view name) {
  if (!name.starts_with(kMangled)) return std::string(name);
  const auto whole = demangled(std::string(name));
  if (!whole) return std::string(name);
  const std::string text = without_parameters(without_anonymous(*whole));
  return text.starts_with(kResult) ? text.substr(kResult.size()) : text;
}

std::string short_kernel_name(std::string_view name, std::size_t columns) {
  const std::string readable = readable_kernel_name(name);
  if (width_of(readable) <= columns || !is_balanced(readable)) return cut_to(readable, columns);
  const std::string bare = without_scopes(readable);
  for (const std::string& each :
       {bare, without_arguments_below(bare, 1), without_arguments_below(bare, 0)}) {
    if (width_of(each) <= columns) return each;
  }
  return cut_to(without_arguments_below(bare, 0), columns);
}

}  // namespace assay::report

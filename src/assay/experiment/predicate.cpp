// SPDX-License-Identifier: MIT
#include "assay/experiment/predicate.hpp"

#include <string_view>

#include "assay/base/error.hpp"
#include "assay/experiment/description.hpp"

namespace assay::experiment {
namespace {

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view operator_characters = "=!<>";

[[noreturn]] void fail_reading(const std::string& text, const std::string& trouble) {
  throw Error(ErrorKind::bad_input,
              "cannot read '" + text + "': " + trouble +
                  "; expected AXIS OPERATOR VALUE joined by 'and', such as \"rows = 4096 and cols "
                  ">= 8192\", with an operator of = != < <= > >=");
}

// Cuts tokens off the front of the text.
class Scanner {
 public:
  explicit Scanner(std::string_view rest) : rest_(rest) {}

  bool at_end() {
    const auto start = rest_.find_first_not_of(blanks);
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
    return rest_.empty();
  }
  std::string name() {
    at_end();
    return cut(rest_.find_first_of(std::string(blanks) + std::string(operator_characters)));
  }
  std::string op() {
    at_end();
    return cut(rest_.find_first_not_of(operator_characters));
  }
  std::string word() {
    at_end();
    return cut(rest_.find_first_of(blanks));
  }

 private:
  std::string cut(std::size_t length) {
    const std::string token(rest_.substr(0, length));
    rest_.remove_prefix(token.size());
    return token;
  }
  std::string_view rest_;
};

// Integers up to 2^63 are exact in neither double; long double holds both.
bool numeric(const AxisValue& value, long double& number) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = static_cast<long double>(*integer);
    return true;
  }
  if (const auto* real = std::get_if<double>(&value)) {
    number = static_cast<long double>(*real);
    return true;
  }
  return false;
}

bool holds(const AxisValue& left, const std::string& op, const AxisValue& right) {
  long double a = 0;
  long double b = 0;
  const bool are_numbers = numeric(left, a) && numeric(right, b);
  if (op == "=") return are_numbers ? a == b : left == right;
  if (op == "!=") return are_numbers ? a != b : left != right;
  if (!are_numbers) return false;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  return a >= b;
}

}  // namespace

Predicate Predicate::parse(const std::string& text) {
  Predicate predicate;
  Scanner scanner(text);
  while (!scanner.at_end()) {
    if (!predicate.terms_.empty()) {
      const std::string joint = scanner.word();
      if (joint != "and") fail_reading(text, "'" + joint + "' stands where only 'and' can");
    }
    Term term;
    term.axis = scanner.name();
    if (!can_stand_in_id(term.axis)) fail_reading(text, "the name of an axis is missing");
    term.op = scanner.op();
    if (term.op != "=" && term.op != "!=" && term.op != "<" && term.op != "<=" && term.op != ">" &&
        term.op != ">=") {
      fail_reading(text, term.op.empty() ? "no operator follows '" + term.axis + "'"
                                         : "'" + term.op + "' is no operator");
    }
    const std::string value = scanner.word();
    if (!can_stand_in_id(value)) {
      fail_reading(text, value.empty() ? "no value follows '" + term.axis + " " + term.op + "'"
                                       : "'" + value + "' cannot be the value of an axis");
    }
    term.value = axis_value_from_text(value);
    if (term.op.find_first_of("<>") != std::string::npos &&
        std::holds_alternative<std::string>(term.value)) {
      fail_reading(text, "'" + value + "' is no number, and only numbers have an order");
    }
    predicate.terms_.push_back(std::move(term));
  }
  return predicate;
}

bool Predicate::matches(const Case& the_case) const {
  for (const Term& term : terms_) {
    const AxisValue* value = the_case.find(term.axis);
    if (value == nullptr || !holds(*value, term.op, term.value)) return false;
  }
  return true;
}

std::vector<std::string> Predicate::axes() const {
  std::vector<std::string> names;
  for (const Term& term : terms_) names.push_back(term.axis);
  return names;
}

}  // namespace assay::experiment

// SPDX-License-Identifier: MIT
#include "sums.hpp"

#include <cstddef>

double sum_forward(const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i];
  return sum;
}

double sum_backward(const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = x.size(); i > 0; --i) sum += x[i - 1];
  return sum;
}

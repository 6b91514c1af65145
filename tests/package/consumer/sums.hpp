// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

double sum_forward(const std::vector<double>& x);
double sum_backward(const std::vector<double>& x);

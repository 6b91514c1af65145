// SPDX-License-Identifier: MIT
//
// The one header that a user's program includes. C++17, the standard library alone.
#pragma once

#include "assay/base/case.hpp"
#include "assay/base/dim3.hpp"
#include "assay/base/dimensions.hpp"
#include "assay/base/do_not_optimize.hpp"
#include "assay/base/error.hpp"
#include "assay/measure/context.hpp"
#include "assay/measure/cuda_source.hpp"
#include "assay/measure/main.hpp"
#include "assay/measure/program.hpp"
#include "assay/measure/subject.hpp"
#include "assay/problem/axis.hpp"
#include "assay/problem/contract.hpp"
#include "assay/problem/dtype.hpp"
#include "assay/problem/generator.hpp"
#include "assay/problem/tensor.hpp"
#include "assay/problem/tolerance.hpp"

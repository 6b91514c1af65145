// SPDX-License-Identifier: MIT
//
// A program with honest and dishonest subjects, for the tests of the worker.
#pragma once

#include <limits>
#include <stdexcept>

#include "assay/measure/program.hpp"

namespace assay::measure {

inline void add_sum(Program& program) {
  Problem& sum = program.problem("sum");
  sum.axis("n", AxisValues{16, 33});
  sum.input("x", [](const Case& c) { return Tensor::f32({c.integer("n")}); });
  sum.output("y", [](const Case&) { return Tensor::f32({1}); });
  sum.reference([](ReferenceCall& call) {
    double total = 0;
    double magnitude = 0;
    for (const double value : call.input("x")) {
      total += value;
      magnitude += value < 0 ? -value : value;
    }
    call.output("y")[0] = total;
    call.magnitude("y")[0] = magnitude;
  });
  sum.tolerance(Tolerance::relative(1e-5).scaled_by_sum_of_magnitudes());
  sum.work([](const Case& c) {
    Work work;
    work.bytes_read = 4.0 * static_cast<double>(c.integer("n"));
    return work;
  });
  const auto total = [](Context& c) {
    float result = 0;
    for (const float value : c.input<float>("x")) result += value;
    return result;
  };
  sum.subject("good", [total](Context& c) { c.output<float>("y")[0] = total(c); });
  sum.subject("also-good", [total](Context& c) { c.output<float>("y")[0] = total(c); });
  sum.subject("wrong", [total](Context& c) { c.output<float>("y")[0] = total(c) + 1; });
  sum.subject("silent", [](Context&) {});
  sum.subject(
      "nan", [](Context& c) { c.output<float>("y")[0] = std::numeric_limits<float>::quiet_NaN(); });
  sum.subject("throws", [](Context&) { throw std::runtime_error("no such luck"); });
  sum.subject("outside", [total](Context& c) {
    c.output<float>("y")[0] = total(c);
    c.output<float>("y").data()[1] = 0;
  });
  sum.subject("changes", [total](Context& c) {
    c.output<float>("y")[0] = total(c);
    const_cast<float*>(c.input<float>("x").data())[3] = 0.5F;
  });
  // Computes once and then repeats its answer: right before timing, wrong when content is renewed.
  sum.subject("remembers", [total, seen = static_cast<const float*>(nullptr),
                            answer = 0.0F](Context& c) mutable {
    const float* key = c.input<float>("x").data();
    if (seen != key) answer = total(c);
    seen = key;
    c.output<float>("y")[0] = answer;
  });
  sum.subject("even-only", [total](Context& c) { c.output<float>("y")[0] = total(c); })
      .supports([](const Case& c) { return c.integer("n") % 2 == 0; });
}

inline void add_scale(Program& program) {
  Problem& scale = program.problem("scale");
  scale.input("x", [](const Case&) { return Tensor::f32({64}); }).in_place();
  scale.reference([](ReferenceCall& call) {
    const auto& x = call.input("x");
    for (std::size_t i = 0; i < x.size(); ++i) call.output("x")[i] = 2 * x[i];
  });
  scale.tolerance(Tolerance::exact());
  scale.subject("doubles", [](Context& c) {
    for (float& value : c.inout<float>("x")) value *= 2;
  });
  scale.subject("idle", [](Context&) {});
}

inline Program sample_program() {
  Program program;
  add_sum(program);
  add_scale(program);
  return program;
}

}  // namespace assay::measure

// SPDX-License-Identifier: MIT
//
// The program that the end-to-end tests run. With the fake device its subjects' times are scripted;
// the subjects that misbehave by themselves do so on any device.
#include <unistd.h>

#include <assay/assay.hpp>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

void square(assay::Context& context) {
  const auto x = context.input<float>("x");
  const auto y = context.output<float>("y");
  for (std::int64_t i = 0; i < x.size(); ++i) y[i] = x[i] * x[i];
}

void square_problem(assay::Problem& problem) {
  problem.axis("n", assay::AxisValues({64, 256}).is_size());
  problem.input("x", [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); });
  problem.output("y", [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); });
  problem.reference([](assay::ReferenceCall& call) {
    for (std::size_t i = 0; i < call.input("x").size(); ++i) {
      call.output("y")[i] = call.input("x")[i] * call.input("x")[i];
    }
  });
  problem.tolerance(assay::Tolerance::ulp(1));
  problem.work([](const assay::Case& c) {
    const auto n = static_cast<double>(c.integer("n"));
    return assay::Work{4 * n, 4 * n, n, n, "elements"};
  });
}

// Calls square, and on the calls that the axis does not spare does something else as well.
template <void (*Misdeed)(assay::Context&)>
void square_and(assay::Context& context) {
  square(context);
  Misdeed(context);
}

void raise_segv(assay::Context&) { std::raise(SIGSEGV); }
void call_abort(assay::Context&) { std::abort(); }
void leave(assay::Context&) { _exit(7); }
void hang(assay::Context&) {
  for (;;) pause();
}
void throw_up(assay::Context&) { throw std::runtime_error("no such plan"); }
void spoil_last(assay::Context& context) {
  const auto y = context.output<float>("y");
  y[y.size() - 1] += 1.0F;
}
void write_beyond(assay::Context& context) {
  const auto y = context.output<float>("y");
  y[y.size()] = 1.0F;
}
void change_input(assay::Context& context) {
  const auto x = context.input<float>("x");
  const_cast<float*>(x.data())[0] += 1.0F;
}
void leave_nan(assay::Context& context) {
  context.output<float>("y")[0] =
      0.0F / context.input<float>("x")[0] * 0.0F + std::strtof("nan", nullptr);
}

void misbehaving(assay::Program& program, const char* name, void (*subject)(assay::Context&)) {
  auto& problem = program.problem(name);
  square_problem(problem);
  problem.subject("honest", square);
  problem.subject("culprit", subject);
  problem.subject("bystander", square);
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& good = program.problem("square");
  square_problem(good);
  good.dimensions([](const assay::Case& c) {
    return assay::Dimensions().set("elements", c.integer("n")).set("epilogue", "bias + relu");
  });
  good.subject("plain", square);
  good.subject("other", square)
      .parameter("stages", "2")
      .parameter("tile", [](const assay::Case& c) { return std::to_string(c.integer("n") / 8); });
  good.subject("only-256", square).supports([](const assay::Case& c) {
    return c.integer("n") == 256;
  });

  misbehaving(program, "crashes", square_and<raise_segv>);
  misbehaving(program, "aborts", square_and<call_abort>);
  misbehaving(program, "exits", square_and<leave>);
  misbehaving(program, "hangs", square_and<hang>);
  misbehaving(program, "throws", square_and<throw_up>);
  misbehaving(program, "wrong", square_and<spoil_last>);
  misbehaving(program, "out-of-bounds", square_and<write_beyond>);
  misbehaving(program, "input-changed", square_and<change_input>);
  misbehaving(program, "nan", square_and<leave_nan>);

  auto& single = program.problem("single");
  square_problem(single);
  single.subject("plain", square);
  return assay::main(argc, argv, program);
}

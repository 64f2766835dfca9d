// The tape: recording, backward order, accumulation of gradients, release of memory.
#include "core/tape/tape.hpp"

#include "core/ops/arithmetic.hpp"
#include "tests/support/message_of.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Tensor numbers(std::initializer_list<Scalar> values) {
  return Tensor::of({static_cast<Index>(values.size())}, values);
}

// Returns its first input's value; its backward pass notes `name` and hands on the gradient.
Var traced(const char* name, std::vector<std::string>& trace, std::initializer_list<Var> inputs) {
  const Var first = *inputs.begin();
  const auto count = static_cast<Index>(inputs.size());
  return first.tape().record(name, inputs, first.value(), [name, &trace, count](Gradients& g) {
    trace.emplace_back(name);
    for (Index i = 0; i < count; ++i) {
      g.add(i, g.output());
    }
  });
}

TEST(Tape, runs_back_in_the_reverse_of_creation_order) {
  Tape tape;
  std::vector<std::string> trace;
  const Var x = tape.variable(numbers({1}));
  const Var a = traced("a", trace, {x});
  const Var b = traced("b", trace, {x});
  const Var c = traced("c", trace, {b, a});
  const Var d = traced("d", trace, {a, c});
  EXPECT_STREQ(tape.op(x), "variable");
  EXPECT_STREQ(tape.op(d), "d");
  EXPECT_STREQ(tape.op(tape.constant(numbers({1}))), "constant");
  tape.backward(d);
  EXPECT_THAT(trace, ElementsAre("d", "c", "b", "a"));
}

TEST(Tape, runs_nothing_that_the_output_does_not_depend_on) {
  Tape tape;
  std::vector<std::string> trace;
  const Var x = tape.variable(numbers({1}));
  const Var unused = tape.variable(numbers({1, 2, 3}));
  const Var before = traced("before", trace, {x});
  const Var output = traced("output", trace, {x});
  const Var after = traced("after", trace, {output});
  tape.backward(output);
  EXPECT_THAT(trace, ElementsAre("output"));
  EXPECT_THAT(tape.gradient(x).values(), ElementsAre(1));
  EXPECT_THAT(tape.gradient(unused).values(), ElementsAre(0, 0, 0));
  EXPECT_TRUE(before.needs_gradient() && after.needs_gradient());
}

TEST(Tape, adds_up_the_gradients_of_every_use) {
  // The gradients of x = (3, -1) and y = (10, 20) for the cotangent (1, 100).
  const auto expect_gradients = [](const auto& output, const auto& dx, const auto& dy) {
    Tape tape;
    const Var x = tape.variable(numbers({3, -1}));
    const Var y = tape.variable(numbers({10, 20}));
    tape.backward(output(x, y), numbers({1, 100}));
    EXPECT_THAT(tape.gradient(x).values(), dx);
    EXPECT_THAT(tape.gradient(y).values(), dy);
  };
  expect_gradients(  // x y + 2 x - x
      [](const Var& x, const Var& y) { return subtract(add(multiply(x, y), scale(x, 2)), x); },
      ElementsAre(10 + 1, 100 * (20 + 1)), ElementsAre(3, -100));
  expect_gradients([](const Var& x, const Var&) { return add(multiply(x, x), add(x, x)); },
                   ElementsAre(2 * 3 + 2, 100 * (2 * -1 + 2)), ElementsAre(0, 0));
  // A variable that is the output.
  expect_gradients([](const Var& x, const Var&) { return x; }, ElementsAre(1, 100),
                   ElementsAre(0, 0));

  Tape tape;  // the cotangent of a single number is 1 unless it is given
  const Var x = tape.variable(numbers({4}));
  tape.backward(multiply(x, x));
  EXPECT_THAT(tape.gradient(x).values(), ElementsAre(8));
}

// add hands the same gradient to both inputs: adding to one must not change the other.
TEST(Tape, copies_a_gradient_that_is_shared_before_it_adds_to_it) {
  Tape tape;
  const Var x = tape.variable(numbers({1}));
  const Var y = tape.variable(numbers({1}));
  const Var early = scale(x, 5);
  const Tensor cotangent = numbers({1});
  tape.backward(add(early, add(x, y)), cotangent);
  EXPECT_THAT(tape.gradient(x).values(), ElementsAre(6));
  EXPECT_THAT(tape.gradient(y).values(), ElementsAre(1));
  EXPECT_THAT(cotangent.values(), ElementsAre(1));
}

TEST(Tape, records_nothing_of_constants_and_asks_for_no_gradient_of_them) {
  Tape tape;
  const Var a = tape.constant(numbers({1, 2}));
  const Var b = add(a, tape.constant(numbers({3, 4})));
  EXPECT_EQ(tape.nodes(), 0);
  EXPECT_FALSE(b.needs_gradient());
  EXPECT_THAT(b.value().values(), ElementsAre(4, 6));
  tape.backward(b, numbers({1, 1}));
  EXPECT_THAT(tape.gradient(a).values(), ElementsAre(0, 0));

  Tape other;
  const Var constant = other.constant(numbers({2}));
  bool asked = true;
  const Var y =
      other.record("op", {other.variable(numbers({1})), constant}, numbers({3}), [&](Gradients& g) {
        asked = g.needs(1);
        g.add(0, g.output());
        g.add(1, g.output());
      });
  other.backward(y);
  EXPECT_FALSE(asked);
  EXPECT_THAT(other.gradient(constant).values(), ElementsAre(0));
}

TEST(Tape, records_nothing_and_keeps_nothing_while_recording_is_off) {
  Tape tape(false);
  const Tensor memory = numbers({1, 2});
  bool slot_written = false;
  {
    const Var x = tape.variable(memory);
    const Var p = tape.parameter(memory, {.memory = numbers({0, 0}), .written = &slot_written});
    const Var y = tape.record("op", {x, p}, numbers({3, 4}), [memory](Gradients&) { FAIL(); });
    EXPECT_FALSE(memory.unique());
    EXPECT_FALSE(x.needs_gradient() || p.needs_gradient() || y.needs_gradient());
    tape.backward(y, numbers({1, 1}));
  }
  EXPECT_EQ(tape.nodes(), 0);
  EXPECT_TRUE(memory.unique());
  EXPECT_FALSE(slot_written);
}

// backward() destroys closures as it goes: the last op's memory is free when the first op runs.
TEST(Tape, returns_the_memory_of_closures_as_it_goes_back) {
  Tape tape;
  const Tensor held_by_first = numbers({1});
  const Tensor held_by_last = numbers({1});
  bool free_in_time = false;
  Var x = tape.variable(numbers({1}));
  x = tape.record("first", {x}, numbers({1}),
                  [held_by_first, &held_by_last, &free_in_time](Gradients& g) {
                    free_in_time = held_by_last.unique();
                    g.add(0, g.output());
                  });
  x = tape.record("last", {x}, numbers({1}),
                  [held_by_last](Gradients& g) { g.add(0, g.output()); });
  EXPECT_FALSE(held_by_last.unique());
  tape.backward(x);
  EXPECT_TRUE(free_in_time);
  EXPECT_TRUE(held_by_first.unique());
  // Closures that never run.
  Tape other;
  const Tensor held = numbers({1});
  other.record("op", {other.variable(numbers({1}))}, numbers({1}), [held](Gradients&) {});
  EXPECT_FALSE(held.unique());
  other.clear();
  EXPECT_TRUE(held.unique());
  EXPECT_EQ(other.nodes(), 0);
}

// Closures of many sizes, in more than one block of memory, which later rounds reuse.
TEST(Tape, holds_many_closures_again_and_again) {
  Tape tape;
  for (int round = 0; round < 3; ++round) {
    const Var x = tape.variable(numbers({1}));
    Var y = x;
    for (int i = 0; i < 1000; ++i) {
      y = add(scale(y, 0.5), scale(y, 0.5));
    }
    tape.backward(y);
    EXPECT_THAT(tape.gradient(x).values(), ElementsAre(1));
    tape.clear();
  }
}

TEST(Tape, hands_its_gradient_over_to_be_changed_where_nobody_else_holds_it) {
  Tape tape;
  bool unique = false;
  const Var x = tape.variable(numbers({1}));
  const Var y = tape.record("op", {x}, numbers({1}), [&unique](Gradients& g) {
    Tensor dy = g.take_output();
    unique = dy.unique();
    g.add(0, std::move(dy));
  });
  tape.backward(scale(y, 2));
  EXPECT_TRUE(unique);
  EXPECT_THAT(tape.gradient(x).values(), ElementsAre(2));
}

TEST(Tape, refuses_wrong_gradients_and_cotangents) {
  // The backward pass of an op with one input (2, 3), whose output is an input of the next node.
  const auto with = [](const std::function<void(Gradients&)>& backward) {
    return [backward] {
      Tape tape;
      const Var x = tape.variable(Tensor::zeros({2, 3}));
      tape.backward(scale(tape.record("times", {x}, numbers({6}), backward), 1));
    };
  };
  EXPECT_THAT(with([](Gradients& g) { g.add(0, Tensor::zeros({3, 2})); }),
              throws("times", "(3, 2)", "(2, 3)"));
  const auto not_recorded =
      throws<std::logic_error>("times: its backward uses input 1, but `record` got 1 input,");
  EXPECT_THAT(with([](Gradients& g) { g.add(1, numbers({3})); }), not_recorded);
  EXPECT_THAT(with([](Gradients& g) { g.target(1); }), not_recorded);
  EXPECT_THAT(with([](Gradients& g) { g.sum(1); }), not_recorded);
  EXPECT_THAT(with([](Gradients& g) { g.needs(1); }), not_recorded);
  EXPECT_THAT(with([](Gradients& g) { g.needs(-1); }), throws<std::logic_error>("uses input -1"));
  Tape tape;
  const Var x = tape.variable(numbers({1, 2}));
  EXPECT_THAT([&] { tape.backward(x, numbers({1})); }, throws("(1)", "(2)"));
}

struct Slot {
  Tensor memory;
  bool written = false;
  GradientSlot door() { return {.memory = memory, .written = &written}; }
};

TEST(Tape, gathers_a_parameters_gradient_over_two_passes) {
  Slot slot{.memory = Tensor::empty({2})};
  Slot slot_of_output{.memory = Tensor::empty({2})};
  Slot slot_of_unused{.memory = Tensor::empty({2})};
  for (int pass = 1; pass <= 2; ++pass) {
    Tape tape;
    const Var weight = tape.parameter(numbers({3, 4}), slot.door());
    const Var unused = tape.parameter(numbers({3, 4}), slot_of_unused.door());
    EXPECT_EQ(slot.written, pass == 2);
    tape.backward(add(multiply(weight, weight), weight), numbers({1, 10}));
    EXPECT_TRUE(slot.written);
    EXPECT_THAT(slot.memory.values(), ElementsAre(pass * (2 * 3 + 1), pass * 10 * (2 * 4 + 1)));
    EXPECT_FALSE(slot_of_unused.written);
    EXPECT_TRUE(unused.needs_gradient());

    Tape other;  // a parameter that is the output
    other.backward(other.parameter(numbers({3, 4}), slot_of_output.door()), numbers({5, 6}));
    EXPECT_TRUE(slot_of_output.written);
    EXPECT_THAT(slot_of_output.memory.values(), ElementsAre(pass * 5, pass * 6));
  }
}

// add hands on its own tensor, but a parameter's gradient must end in the memory of its slot.
TEST(Tape, keeps_a_parameters_gradient_in_its_slot) {
  Slot slot{.memory = Tensor::empty({2})};
  const Scalar* place = slot.memory.data();
  Tape tape;
  const Var weight = tape.parameter(numbers({3, 4}), slot.door());
  const Var other = tape.variable(numbers({0, 0}));
  tape.backward(add(weight, other), numbers({5, 6}));
  EXPECT_EQ(slot.memory.data(), place);
  EXPECT_THAT(slot.memory.values(), ElementsAre(5, 6));
  EXPECT_THAT(tape.gradient(weight).values(), ElementsAre(5, 6));
}

TEST(Tape, refuses_to_run_back_twice) {
  Tape tape;
  const Var x = tape.variable(numbers({1}));
  const Var middle = scale(x, 2);
  const Var first = scale(middle, 3);
  const Var second = scale(middle, 5);
  tape.backward(first);
  EXPECT_THROW(tape.backward(second), std::logic_error);
  EXPECT_THROW(tape.backward(first), std::logic_error);
}

TEST(Tape, names_the_op_of_a_value_or_gradient_that_is_not_finite) {
  Tape tape;
  const Var x = tape.variable(Tensor::of({2, 2}, {1, 2, 0, 4}));
  EXPECT_THAT([&] { log(x); },
              throws<NumericError>("log: the value is -inf at [1, 0] of (2, 2); 1 of 4",
                                   "input 0 (2, 2): 0 ... 4"));
  Tape other;
  const Var pair = other.variable(numbers({1, 2}));
  const Var y = other.record("careless", {pair}, numbers({1}), [](Gradients& g) {
    g.add(0, numbers({0, std::numeric_limits<Scalar>::quiet_NaN()}));
  });
  EXPECT_THAT(
      [&] { other.backward(y); },
      throws<NumericError>("careless: the gradient of input 0 (variable) is nan at [1] of (2)"));
  const Checks before = std::exchange(checks(), {});
  Tape unchecked;
  EXPECT_NO_THROW(unchecked.backward(log(unchecked.variable(numbers({0})))));
  checks() = before;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

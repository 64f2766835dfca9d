// The tape: recording, backward order, accumulation of gradients, release of memory.
#include "core/tape/tape.hpp"

#include "core/ops/arithmetic.hpp"
#include "tests/support/testing.hpp"

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
  tape.backward(d);
  EXPECT_THAT(trace, ElementsAre("d", "c", "b", "a"));
}

TEST(Tape, runs_nothing_that_the_output_does_not_depend_on) {
  Tape tape;
  std::vector<std::string> trace;
  const Var x = tape.variable(numbers({1}));
  const Var before = traced("before", trace, {x});
  const Var output = traced("output", trace, {x});
  const Var after = traced("after", trace, {output});
  tape.backward(output);
  EXPECT_THAT(trace, ElementsAre("output"));
  EXPECT_THAT(tape.gradient(x).values(), ElementsAre(1));
  EXPECT_TRUE(before.needs_gradient() && after.needs_gradient());
}

TEST(Tape, adds_up_the_gradients_of_every_use) {
  Tape tape;
  const Var x = tape.variable(numbers({3, -1}));
  const Var y = tape.variable(numbers({10, 20}));
  // L = Σ c (x y + 2 x - x)
  const Var output = subtract(add(multiply(x, y), scale(x, 2)), x);
  tape.backward(output, numbers({1, 100}));
  EXPECT_THAT(tape.gradient(x).values(), ElementsAre(10 + 1, 100 * (20 + 1)));
  EXPECT_THAT(tape.gradient(y).values(), ElementsAre(3, -100));
}

TEST(Tape, adds_up_the_gradients_of_the_same_var_given_twice) {
  Tape tape;
  const Var x = tape.variable(numbers({3, -1}));
  tape.backward(add(multiply(x, x), add(x, x)), numbers({1, 10}));
  EXPECT_THAT(tape.gradient(x).values(), ElementsAre(2 * 3 + 2, 10 * (2 * -1 + 2)));
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

TEST(Tape, starts_from_one_for_a_single_number) {
  Tape tape;
  const Var x = tape.variable(numbers({4}));
  tape.backward(multiply(x, x));
  EXPECT_THAT(tape.gradient(x).values(), ElementsAre(8));
}

TEST(Tape, gives_zeros_where_no_gradient_arrives) {
  Tape tape;
  const Var x = tape.variable(numbers({1, 2}));
  const Var unused = tape.variable(numbers({1, 2, 3}));
  tape.backward(scale(x, 2), numbers({1, 1}));
  EXPECT_THAT(tape.gradient(unused).values(), ElementsAre(0, 0, 0));
}

TEST(Tape, gives_a_variable_that_is_the_output_its_cotangent) {
  Tape tape;
  const Var x = tape.variable(numbers({1, 2}));
  tape.backward(x, numbers({7, 8}));
  EXPECT_THAT(tape.gradient(x).values(), ElementsAre(7, 8));
}

TEST(Tape, records_nothing_of_constants) {
  Tape tape;
  const Var a = tape.constant(numbers({1, 2}));
  const Var b = add(a, tape.constant(numbers({3, 4})));
  EXPECT_EQ(tape.nodes(), 0);
  EXPECT_FALSE(b.needs_gradient());
  EXPECT_THAT(b.value().values(), ElementsAre(4, 6));
  tape.backward(b, numbers({1, 1}));
  EXPECT_THAT(tape.gradient(a).values(), ElementsAre(0, 0));
}

TEST(Tape, asks_for_no_gradient_of_a_constant) {
  Tape tape;
  const Var x = tape.variable(numbers({1}));
  const Var constant = tape.constant(numbers({2}));
  bool asked = true;
  const Var y = tape.record("op", {x, constant}, numbers({3}), [&](Gradients& g) {
    asked = g.needs(1);
    g.add(0, g.output());
    g.add(1, g.output());
  });
  tape.backward(y);
  EXPECT_FALSE(asked);
  EXPECT_THAT(tape.gradient(constant).values(), ElementsAre(0));
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
}

TEST(Tape, returns_the_memory_of_closures_that_never_ran) {
  const Tensor held = numbers({1});
  {
    Tape tape;
    const Var x = tape.variable(numbers({1}));
    const Var y = tape.record("op", {x}, numbers({1}), [held](Gradients&) {});
    EXPECT_FALSE(held.unique());
    tape.clear();
    EXPECT_TRUE(held.unique());
    EXPECT_EQ(tape.nodes(), 0);
  }
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

TEST(Tape, refuses_a_gradient_of_the_wrong_shape) {
  Tape tape;
  const Var x = tape.variable(Tensor::zeros({2, 3}));
  const Var y = tape.record("careless", {x}, numbers({1}),
                            [](Gradients& g) { g.add(0, Tensor::zeros({3, 2})); });
  EXPECT_THAT([&] { tape.backward(y); },
              ThrowsMessage<ShapeError>(
                  AllOf(HasSubstr("careless"), HasSubstr("(3, 2)"), HasSubstr("(2, 3)"))));
}

// The next node's input y is stored where a second input of `times` would be.
TEST(Tape, refuses_a_gradient_of_an_input_that_is_not_recorded) {
  const auto run_back = [](const std::function<void(Gradients&)>& backward) {
    Tape tape;
    const Var x = tape.variable(numbers({2}));
    const Var y = tape.record("times", {x}, numbers({6}), backward);
    tape.backward(scale(y, 1));
  };
  const auto says = [](const std::string& text) {
    return ThrowsMessage<std::logic_error>(HasSubstr(text));
  };
  const std::string one = "times: its backward uses input 1, but `record` got 1 input,";
  EXPECT_THAT([&] { run_back([](Gradients& g) { g.add(1, numbers({3})); }); }, says(one));
  EXPECT_THAT([&] { run_back([](Gradients& g) { g.target(1); }); }, says(one));
  EXPECT_THAT([&] { run_back([](Gradients& g) { g.sum(1); }); }, says(one));
  EXPECT_THAT([&] { run_back([](Gradients& g) { g.needs(1); }); }, says(one));
  EXPECT_THAT([&] { run_back([](Gradients& g) { g.needs(-1); }); }, says("uses input -1"));
}

TEST(Tape, refuses_a_cotangent_of_the_wrong_shape) {
  Tape tape;
  const Var x = tape.variable(numbers({1, 2}));
  EXPECT_THAT([&] { tape.backward(x, numbers({1})); },
              ThrowsMessage<ShapeError>(AllOf(HasSubstr("(1)"), HasSubstr("(2)"))));
}

TEST(Tape, knows_which_op_made_a_value) {
  Tape tape;
  const Var x = tape.variable(numbers({1}));
  EXPECT_STREQ(tape.op(x), "variable");
  EXPECT_STREQ(tape.op(scale(x, 2)), "scale");
  EXPECT_STREQ(tape.op(tape.constant(numbers({1}))), "constant");
}

struct Slot {
  Tensor memory;
  bool written = false;
  GradientSlot door() { return {.memory = memory, .written = &written}; }
};

TEST(Tape, gathers_a_parameters_gradient_over_two_passes) {
  Slot slot{.memory = Tensor::empty({2})};
  for (int pass = 1; pass <= 2; ++pass) {
    Tape tape;
    const Var weight = tape.parameter(numbers({3, 4}), slot.door());
    EXPECT_EQ(slot.written, pass == 2);
    tape.backward(add(multiply(weight, weight), weight), numbers({1, 10}));
    EXPECT_TRUE(slot.written);
    EXPECT_THAT(slot.memory.values(), ElementsAre(pass * (2 * 3 + 1), pass * 10 * (2 * 4 + 1)));
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

TEST(Tape, leaves_the_slot_of_an_unused_parameter_alone) {
  Slot slot{.memory = Tensor::empty({2})};
  Tape tape;
  const Var weight = tape.parameter(numbers({3, 4}), slot.door());
  const Var x = tape.variable(numbers({1}));
  tape.backward(scale(x, 2));
  EXPECT_FALSE(slot.written);
  EXPECT_TRUE(weight.needs_gradient());
}

TEST(Tape, writes_the_cotangent_of_a_parameter_that_is_the_output) {
  Slot slot{.memory = Tensor::empty({2})};
  for (int pass = 1; pass <= 2; ++pass) {
    Tape tape;
    const Var weight = tape.parameter(numbers({3, 4}), slot.door());
    tape.backward(weight, numbers({5, 6}));
    EXPECT_TRUE(slot.written);
    EXPECT_THAT(slot.memory.values(), ElementsAre(pass * 5, pass * 6));
  }
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

TEST(Tape, names_the_op_of_a_value_that_is_not_finite) {
  Tape tape;
  const Var x = tape.variable(Tensor::of({2, 2}, {1, 2, 0, 4}));
  EXPECT_THAT([&] { log(x); }, ThrowsMessage<NumericError>(AllOf(
                                   HasSubstr("log: the value is -inf at [1, 0] of (2, 2); 1 of 4"),
                                   HasSubstr("input 0 (2, 2): 0 ... 4"))));
}

TEST(Tape, names_the_op_of_a_gradient_that_is_not_finite) {
  Tape tape;
  const Var x = tape.variable(numbers({1, 2}));
  const Var y = tape.record("careless", {x}, numbers({1}), [](Gradients& g) {
    g.add(0, numbers({0, std::numeric_limits<Scalar>::quiet_NaN()}));
  });
  EXPECT_THAT([&] { tape.backward(y); },
              ThrowsMessage<NumericError>(

                  HasSubstr("careless: the gradient of input 0 (variable) is nan at [1] of (2)")));
}

TEST(Tape, looks_for_nothing_where_checks_are_off) {
  const Checks before = std::exchange(checks(), {});
  Tape tape;
  const Var x = tape.variable(numbers({0}));
  EXPECT_NO_THROW(tape.backward(log(x)));
  checks() = before;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

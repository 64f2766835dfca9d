// The feed-forward block: its parameters, and its result compared with single ops.
#include "nn/transformer/layer.hpp"

#include "core/ops/activation.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/linear.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

struct Block {
  explicit Block(FeedForwardKind kind, bool biases) : feed_forward(make(kind, biases)) {
    store.initialize(1);
    const Tensor noise = random_tensor({store.size()}, 7);
    std::ranges::copy(noise.values(), store.values().values().begin());
  }

  FeedForward make(FeedForwardKind kind, bool biases) {
    ModelOptions options;
    options.d_model = 3;
    options.d_ff = 5;
    options.activation = Activation::silu;
    options.feed_forward = kind;
    options.bias_feed_forward = biases;
    return {store.root() / "block", options, StackName::decoder};
  }

  std::string names() const {
    std::string all;
    for (const NamedParameter& parameter : store.parameters()) {
      all += parameter.name.substr(std::string("block.").size()) + " ";
    }
    return all;
  }

  // A parameter by name; zeros if the block does not have it.
  Var named(Tape& tape, const std::string& name, const Shape& shape) const {
    const bool there = names().find(name + " ") != std::string::npos;
    return tape.constant(there ? values_of(store, "block." + name) : Tensor::zeros(shape));
  }

  Tensor output() const {
    Tape tape(false);
    Pass pass(tape, store);
    const auto [value, bias] = feed_forward(pass, tape.constant(x), segments_of({4}));
    return add(value, bias).value();
  }

  // W₂ (f(V x + c) ∘ (W₁ x + b₁)) + b₂, or W₂ f(W₁ x + b₁) + b₂
  Tensor expected(FeedForwardKind kind) const {
    Tape tape(false);
    const Var input = tape.constant(x);
    const auto map = [&](const Var& from, const std::string& name, Index in, Index out) {
      return linear(from, named(tape, name + ".weight", {out, in}),
                    named(tape, name + ".bias", {out}));
    };
    const auto activated = [&](const Var& from) {
      return bias_activation(from, tape.constant(Tensor::zeros({5})), Activation::silu);
    };
    const Var inner = map(input, "inner", 3, 5);
    const Var hidden = kind == FeedForwardKind::gated
                           ? multiply(inner, activated(map(input, "gate", 3, 5)))
                           : activated(inner);
    return map(hidden, "outer", 5, 3).value();
  }

  ParameterStore store;
  FeedForward feed_forward;
  Tensor x = random_tensor({4, 3}, 1);
};

TEST(FeedForward, has_the_parameters_that_the_options_ask_for_and_computes_its_formula) {
  using enum FeedForwardKind;
  struct Case {
    FeedForwardKind kind;
    bool biases;
    std::string names;
  };
  for (const auto& [kind, biases, names] :
       {Case{plain, true, "inner.weight inner.bias outer.weight outer.bias "},
        Case{plain, false, "inner.weight outer.weight "},
        Case{gated, true, "inner.weight gate.weight inner.bias gate.bias outer.weight outer.bias "},
        Case{gated, false, "inner.weight gate.weight outer.weight "}}) {
    const Block block(kind, biases);
    EXPECT_EQ(block.names(), names);
    EXPECT_THAT(block.output().values(),
                Pointwise(DoubleNear(1e-13), block.expected(kind).values()));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

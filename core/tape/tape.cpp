#include "core/tape/tape.hpp"

#include "core/kernel/row_kernels.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Var Tape::variable(Tensor value) {
  if (!recording_) {
    return constant(std::move(value));
  }
  nodes_.push_back({.op = "variable", .first_input = 0, .input_count = 0, .shape = value.shape()});
  return {this, nodes() - 1, std::move(value)};
}

Var Tape::parameter(Tensor value, GradientSlot gradient, const Module* module) {
  Var result = variable(std::move(value));
  if (result.needs_gradient()) {
    Node& leaf = node(result.node_);
    leaf.op = "parameter";
    leaf.module = module;
    leaf.gradient = std::move(gradient.memory);
    leaf.written = gradient.written;
    leaf.later = gradient.later;
  }
  return result;
}

Var Tape::append(const char* op, std::span<const Var> inputs, Tensor value,
                 Closure<Gradients> closure) {
  if (watcher_ || checks().finite) {
    look_at_value(op, inputs, value);
  }
  if (!closure) {
    return constant(std::move(value));
  }
  const auto first = static_cast<Index>(inputs_.size());
  for (const Var& input : inputs) {
    inputs_.push_back(input.node_);
  }
  nodes_.push_back({.op = op,
                    .first_input = first,
                    .input_count = static_cast<Index>(inputs.size()),
                    .shape = value.shape(),
                    .module = module_,
                    .closure = std::move(closure)});
  return {this, nodes() - 1, std::move(value)};
}

void Tape::backward(const Var& output) {
  backward(output, Tensor::full(output.shape(), Scalar{1}));
}

void Tape::backward(const Var& output, Tensor cotangent) {
  if (cotangent.shape() != output.shape()) {
    throw ShapeError("backward: the cotangent has shape {}, the output {}",
                     cotangent.shape().to_string(), output.shape().to_string());
  }
  if (!output.needs_gradient()) {
    return;
  }
  receive(node(output.node_), std::move(cotangent));
  for (Index i = output.node_; i >= 0; --i) {
    if (node(i).closure) {
      run_closure(i);
    }
  }
}

void Tape::run_closure(Index i) {
  Node& current = node(i);
  if (current.has_gradient) {
    const Tensor output = checks().finite ? current.gradient.copy() : Tensor();
    Gradients gradients(*this, i);
    current.closure(gradients);
    if (watcher_ || checks().finite) {
      look_at_gradients(i, output);
    }
  }
  current.closure = {};
  current.gradient = {};
  current.spent = true;
}

void Tape::receive(Node& into, Tensor gradient) {
  if (!into.has_gradient && !into.spent && into.written == nullptr) {
    into.gradient = std::move(gradient);
    into.has_gradient = true;
    return;
  }
  const GradientTarget to = target(into);
  if (to.accumulate) {
    add_to(to.data, gradient.data(), gradient.size());
  } else {
    std::ranges::copy(gradient.values(), to.data);
  }
}

GradientTarget Tape::target(Node& into) {
  if (into.spent) {
    throw std::logic_error(fmt::format(
        "{}: a backward pass has used this value already; a tape runs backwards only once",
        into.op));
  }
  bool& arrived = into.written != nullptr ? *into.written : into.has_gradient;
  const bool accumulate = std::exchange(arrived, true);
  if (into.written != nullptr) {
    Tensor& memory = into.memory();
    if (!memory.has_memory()) {
      memory = Tensor::empty(into.shape);
    }
    return {memory.data(), accumulate};
  }
  if (!accumulate) {
    into.gradient = Tensor::empty(into.shape);
  } else if (!into.gradient.unique()) {
    into.gradient = into.gradient.copy();
  }
  return {into.gradient.data(), accumulate};
}

Tensor Tape::gradient(const Var& variable) const {
  if (!variable.needs_gradient() || !node(variable.node_).has_arrived()) {
    return Tensor::zeros(variable.shape());
  }
  return node(variable.node_).memory();
}

void Tape::clear() {
  nodes_.clear();
  kept_.clear();
  module_ = nullptr;
  inputs_.clear();
  arena_.rewind();
}

Tape::Node& Tape::input(Index of, Index number) {
  return node(inputs_[static_cast<std::size_t>(node(of).first_input + number)]);
}

bool Gradients::needs(Index input) const {
  const Tape::Node& node = tape_.node(node_);
  if (input < 0 || input >= node.input_count) {
    throw std::logic_error(fmt::format(
        "{}: its backward uses input {}, but `record` got {} input{}, counted from 0: list every "
        "input there",
        node.op, input, node.input_count, node.input_count == 1 ? "" : "s"));
  }
  return tape_.inputs_[static_cast<std::size_t>(node.first_input + input)] >= 0;
}

const Tensor& Gradients::output() const { return tape_.node(node_).gradient; }

Tensor Gradients::take_output() { return std::move(tape_.node(node_).gradient); }

void Gradients::add(Index input, Tensor gradient) {
  if (!needs(input)) {
    return;
  }
  Tape::Node& into = tape_.input(node_, input);
  if (gradient.shape() != into.shape) {
    throw ShapeError("{}: the gradient of input {} has shape {}, the input {}",
                     tape_.node(node_).op, input, gradient.shape().to_string(),
                     into.shape.to_string());
  }
  tape_.receive(into, std::move(gradient));
}

GradientTarget Gradients::target(Index input) {
  if (!needs(input)) {
    throw std::logic_error(fmt::format(
        "{0}: input {1} needs no gradient, so there is no target({1}); ask needs({1}) before",
        tape_.node(node_).op, input));
  }
  return tape_.target(tape_.input(node_, input));
}

Scalar* Gradients::sum(Index input) {
  if (!needs(input)) {
    return nullptr;
  }
  const auto [data, accumulate] = target(input);
  if (!accumulate) {
    std::fill_n(data, tape_.input(node_, input).shape.size(), Scalar{0});
  }
  return data;
}

void wrong_shape(std::string_view what, std::string_view expected, const Shape& got) {
  throw ShapeError("{}: expected {}, got {}", what, expected, got.to_string());
}

void expect_shape(const Var& x, const Shape& expected, std::string_view what, const Var& other) {
  if (x.shape() != expected) {
    wrong_shape(fmt::format("{} {}", what, other.shape().to_string()), expected.to_string(),
                x.shape());
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

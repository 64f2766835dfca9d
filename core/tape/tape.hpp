// The tape: the ops of one forward pass in their order, and the loop that runs their backward
// functions in reverse. Shapes are checked at the start of an op; later code does not check again.
#pragma once

#include "core/tape/anomaly.hpp"
#include "core/tape/closures.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

class Tape;

// A handle to a value on a tape. A constant, or any value while recording is off, has no node.
class Var {
 public:
  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  Tape& tape() const { return *tape_; }
  bool needs_gradient() const { return node_ >= 0; }

 private:
  friend class Tape;
  Var(Tape* tape, Index node, Tensor value) : tape_(tape), node_(node), value_(std::move(value)) {}

  Tape* tape_;
  Index node_;
  Tensor value_;
};

// Where the backward function of an op writes a gradient, or adds to an existing gradient.
struct GradientTarget {
  Scalar* data;
  bool accumulate;
};

// The argument of a backward closure: the gradient of the output, and a place for the gradient of
// each input. Inputs are numbered in the order of `record`; other numbers throw logic_error.
class Gradients {
 public:
  Gradients(Tape& tape, Index node) : tape_(tape), node_(node) {}

  bool needs(Index input) const;
  const Tensor& output() const;  // dL/dy
  Tensor take_output();          // the same, moved out: may be changed in place when it is unique()
  void add(Index input, Tensor gradient);  // throws ShapeError naming the op
  // The memory of the gradient itself, so that no temporary is needed. Every element must be
  // written. Throws logic_error if the input needs no gradient.
  GradientTarget target(Index input);
  // The same memory to add to, cleared if no gradient has arrived yet; null if not needed.
  Scalar* sum(Index input);

 private:
  Tape& tape_;
  Index node_;
};

// The argument of the watcher: the value of an op, or the gradient of an input, summed so far.
struct TapeEvent {
  const char* op;
  const Module* module;   // where the op belongs; null: unknown
  const Module* entered;  // set by `enter`; `module` may be more precise
  Index input;            // the input with this gradient; -1: a value
  const Tensor& tensor;
};
using TapeWatcher = std::function<void(const TapeEvent&)>;

// A place outside the tape that gathers the gradient of a parameter over several passes.
struct GradientSlot {
  Tensor memory;
  bool* written;            // false: the memory holds nothing yet
  Tensor* later = nullptr;  // without `memory`: gets it when a gradient arrives
};

class Tape : NotCopied {
 public:
  explicit Tape(bool recording = true) : recording_(recording) {}
  ~Tape() { clear(); }

  Var constant(Tensor value) { return {this, -1, std::move(value)}; }
  Var variable(Tensor value);  // a leaf; the tape keeps its gradient
  // A leaf whose gradient goes to the slot. Ops that use it belong to `module`: see `enter`.
  Var parameter(Tensor value, GradientSlot gradient, const Module* module = nullptr);

  // y = op(inputs). `backward` gets the Gradients. It may hold tensors, but no Vars.
  template <class Backward>
  Var record(const char* op, std::span<const Var> inputs, Tensor value, Backward&& backward);
  template <class Backward>
  Var record(const char* op, std::initializer_list<Var> inputs, Tensor value, Backward&& backward) {
    return record(op, std::span(inputs.begin(), inputs.size()), std::move(value),
                  std::forward<Backward>(backward));
  }

  // Runs every closure from `output` back, with dL/d output = `cotangent` (of its shape) or 1 for
  // each number. Closures run only once: their memory returns to the pool as the loop proceeds, and
  // a later pass through them throws logic_error.
  void backward(const Var& output, Tensor cotangent);
  void backward(const Var& output);

  // The gradient of a variable after `backward`: zeros where none arrived.
  Tensor gradient(const Var& variable) const;

  // The name of the op that made a value; "constant" for a value without a node.
  const char* op(const Var& value) const {
    return value.needs_gradient() ? node(value.node_).op : "constant";
  }

  // Sets the module of the following ops, unless their parameters have a module, and returns the
  // previous module; null: none. The module must outlive the nodes of the tape.
  const Module* enter(const Module* module) { return std::exchange(module_, module); }

  // Calls the watcher with every value and gradient from now on.
  void watch(TapeWatcher watcher) { watcher_ = std::move(watcher); }

  void clear();  // removes all nodes, keeps the capacity
  bool recording() const { return recording_; }
  Index nodes() const { return static_cast<Index>(nodes_.size()); }

 private:
  friend class Gradients;

  struct Node {
    const char* op;
    Index first_input;
    Index input_count;
    Shape shape;
    Tensor gradient{};
    bool has_gradient = false;  // not used for a parameter: see `written`
    bool spent = false;         // a backward pass has used the closure
    bool* written = nullptr;    // set for a parameter: its gradient is the slot's memory
    Tensor* later = nullptr;    // set if the slot itself holds that memory
    const Module* module = nullptr;
    Closure<Gradients> closure{};

    bool has_arrived() const { return written != nullptr ? *written : has_gradient; }
    Tensor& memory() { return later != nullptr ? *later : gradient; }
    const Tensor& memory() const { return later != nullptr ? *later : gradient; }
  };

  Node& node(Index i) { return nodes_[static_cast<std::size_t>(i)]; }
  const Node& node(Index i) const { return nodes_[static_cast<std::size_t>(i)]; }
  Node& input(Index of, Index number);
  Var append(const char* op, std::span<const Var> inputs, Tensor value, Closure<Gradients> closure);
  GradientTarget target(Node& into);
  void receive(Node& into, Tensor gradient);
  void run_closure(Index i);
  const Module* module_of(std::span<const Index> inputs, const Module* entered) const;
  const Module* module_of(Index i) const;
  void look_at_value(const char* op, std::span<const Var> inputs, const Tensor& value);
  void look_at_gradients(Index i, const Tensor& output);

  bool recording_;
  const Module* module_ = nullptr;
  TapeWatcher watcher_;
  std::vector<Node> nodes_;
  std::vector<std::vector<Tensor>> kept_;  // each node's inputs, while gradients are checked
  std::vector<Index> inputs_;
  ClosureArena arena_;
};

// While an InModule exists, recorded ops belong to its module.
class InModule : NotCopied {
 public:
  InModule(Tape& tape, const Module& module) : tape_(tape), before_(tape.enter(&module)) {}
  ~InModule() { tape_.enter(before_); }

 private:
  Tape& tape_;
  const Module* before_;
};

template <class Backward>
Var Tape::record(const char* op, std::span<const Var> inputs, Tensor value, Backward&& backward) {
  Closure<Gradients> closure;
  if (recording_ && std::ranges::any_of(inputs, &Var::needs_gradient)) {
    closure = arena_.make<Gradients>(std::forward<Backward>(backward));
  }
  return append(op, inputs, std::move(value), std::move(closure));
}

// Throws ShapeError "<what>: expected <expected>, got <shape>".
[[noreturn]] void wrong_shape(std::string_view what, std::string_view expected, const Shape& got);

// The extents of a value that must have Rank axes: `auto [N, D] = dims<2>(x, "linear.x")`.
template <Index Rank>
std::array<Index, Rank> dims(const Var& x, std::string_view what) {
  static_assert(Rank >= 1 && Rank <= Shape::max_rank);
  if (x.shape().rank() != Rank) {
    constexpr std::array<std::string_view, 5> names{"", "one axis", "two axes", "three axes",
                                                    "four axes"};
    wrong_shape(what, names[Rank], x.shape());
  }
  std::array<Index, Rank> result;
  for (Index axis = 0; axis < Rank; ++axis) {
    result[static_cast<std::size_t>(axis)] = x.shape()[axis];
  }
  return result;
}

inline void expect_shape(const Var& x, const Shape& expected, std::string_view what) {
  if (x.shape() != expected) {
    wrong_shape(what, expected.to_string(), x.shape());
  }
}

// The same if the shape follows from the shape of `other`. `what` ends with the name of `other`,
// and the message adds the shape of `other`: "residual.f for x (3, 4): expected ...".
void expect_shape(const Var& x, const Shape& expected, std::string_view what, const Var& other);

}}  // namespace tapehead::TAPEHEAD_PRECISION

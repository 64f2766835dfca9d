// The tape's checks of every value and gradient: see AnomalyGuard and Tape::watch.

#include "core/tape/anomaly.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The part and the head of the module to which an element of its result belongs.
Place place_of_element(const Module* module, Index element, const Shape& shape) {
  const Index columns = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  return module == nullptr ? Place{} : place_of(*module, element % columns, columns);
}

// The same for a parameter's gradient: rows of a weight (out, in) are columns of results.
Place place_of_parameter(const Module* module, Index element, const Shape& shape) {
  const Index rows = shape.rank() == 0 ? 1 : shape[0];
  return module == nullptr ? Place{} : place_of(*module, element / (shape.size() / rows), rows);
}

// The range of the tensor's finite numbers, under the name `what`.
Range range_of(std::string what, const Tensor& tensor) {
  Range range{.what = std::move(what), .shape = tensor.shape()};
  bool any = false;
  for (const Scalar x : tensor.has_memory() ? tensor.values() : std::span<const Scalar>()) {
    if (!std::isfinite(x)) {
      ++range.not_finite;
      continue;
    }
    const auto number = static_cast<double>(x);
    range.least = any ? std::min(range.least, number) : number;
    range.most = any ? std::max(range.most, number) : number;
    any = true;
  }
  return range;
}

Anomaly anomaly_at(const char* op, const Tensor& tensor, Index element) {
  return {.op = op,
          .shape = tensor.shape(),
          .element = element,
          .number = static_cast<double>(tensor.data()[element]),
          .count = range_of("", tensor).not_finite};
}

void add_ranges(Anomaly& anomaly, const std::vector<Tensor>& inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    anomaly.ranges.push_back(range_of(fmt::format("input {}", k), inputs[k]));
  }
}

}  // namespace

// The module of an op: of the first parameter among the inputs, otherwise `entered`.
const Module* Tape::module_of(std::span<const Index> inputs, const Module* entered) const {
  for (const Index input : inputs) {
    if (input >= 0 && node(input).written != nullptr && node(input).module != nullptr) {
      return node(input).module;
    }
  }
  return entered;
}

const Module* Tape::module_of(Index i) const {
  const Node& made = node(i);
  const auto first = inputs_.begin() + made.first_input;
  return module_of({first, first + made.input_count}, made.module);
}

void Tape::look_at_value(const char* op, std::span<const Var> inputs, const Tensor& value) {
  const Module* module = module_of(mapped(inputs, &Var::node_), module_);
  if (watcher_) {
    watcher_({.op = op, .module = module, .entered = module_, .input = -1, .tensor = value});
  }
  if (!checks().finite) {
    return;
  }
  if (const Index bad = first_not_finite(value); bad >= 0) {
    Anomaly anomaly = anomaly_at(op, value, bad);
    anomaly.place = place_of_element(module, bad, value.shape());
    add_ranges(anomaly, mapped(inputs, &Var::value));
    throw AnomalyError(std::move(anomaly));
  }
  if (recording_) {  // for the next node, if this value gets one
    kept_.resize(nodes_.size() + 1);
    kept_.back() = mapped(inputs, &Var::value);
  }
}

void Tape::look_at_gradients(Index i, const Tensor& output) {
  const Node& current = node(i);
  const Module* const module = module_of(i);
  for (Index k = 0; k < current.input_count; ++k) {
    const Index from = inputs_[static_cast<std::size_t>(current.first_input + k)];
    if (from < 0 || !node(from).has_arrived()) {
      continue;
    }
    const Tensor& gradient = node(from).memory();
    if (watcher_) {
      watcher_({.op = current.op,
                .module = module,
                .entered = current.module,
                .input = k,
                .tensor = gradient});
    }
    const Index bad = checks().finite ? first_not_finite(gradient) : -1;
    if (bad < 0) {
      continue;
    }
    Anomaly anomaly = anomaly_at(current.op, gradient, bad);
    anomaly.in_gradient = true;
    anomaly.input = k;
    anomaly.made_by = node(from).op;
    if (node(from).written != nullptr) {
      anomaly.place = place_of_parameter(module, bad, gradient.shape());
    } else {
      anomaly.place.path = module == nullptr ? "" : module->path();
      const Place made_in = place_of_element(module_of(from), bad, gradient.shape());
      anomaly.made_by += made_in.path.empty() ? "" : " in " + made_in.to_string();
    }
    anomaly.ranges.push_back(range_of("gradient of the output", output));
    if (static_cast<std::size_t>(i) < kept_.size()) {
      add_ranges(anomaly, kept_[static_cast<std::size_t>(i)]);
    }
    throw AnomalyError(std::move(anomaly));
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

#include <algorithm>
#include <string>

#include "bench/beside_pytorch/case.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/reduce.hpp"
#include "support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void fill(ParameterStore& store, const std::vector<Tensor>& inputs) {
  for (const Tensor& input : inputs) {
    store.root().create("input" + std::to_string(store.blocks()), ParameterKind::other,
                        input.shape(), Initializer::constant(0));
  }
  store.initialize(1);
  for (const NamedParameter& parameter : store.parameters()) {
    const Tensor& input = inputs[static_cast<std::size_t>(parameter.block)];
    std::ranges::copy(input.values(), store.value(parameter).data());
  }
}

}  // namespace

ModelGradcheckReport check_along_directions(const Case& subject) {
  ParameterStore store;
  fill(store, subject.inputs);
  return gradcheck_model(
      store, ModelLoss([&](Tape& tape, ParameterGradients& gradients) {
        std::vector<Var> leaves;
        for (const NamedParameter& parameter : store.parameters()) {
          leaves.push_back(tape.parameter(store.value(parameter), gradients.slot(parameter.block)));
        }
        const Var y = subject.function(tape, leaves);
        return sum(multiply(y, tape.constant(random_tensor(y.shape(), 1))));
      }));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

#include "nn/transformer/output_head.hpp"

#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

OutputHead::OutputHead(const Scope& scope, const ModelOptions& options, Index labels,
                       const Parameter& table)
    : weight(ties_output(options.tie_embeddings)
                 ? table.first_rows(labels)
                 : scope.create("weight", ParameterKind::output, {labels, options.output_width()},
                                weight_initializer(options, options.output_width(), labels))),
      module{.paths = {scope.path()}} {
  if (options.bias_output) {
    bias = scope.create("bias", ParameterKind::bias, {labels}, Initializer::constant(0));
  }
  if (options.head_transform != HeadTransform::none) {
    transform.emplace(scope / "transform", options);
  }
}

Var OutputHead::logits(Pass& pass, const Var& hidden) const {
  const Var rows = transformed(pass, hidden);
  const InModule here(pass.tape(), module);
  return pass.linear(rows, weight, bias);
}

BestTokens OutputHead::best(Pass& pass, const Var& hidden, Index count, TokenId excluded,
                            LogSums log_sums) const {
  const Tensor table = pass.parameter(weight).value().part(0, weight.shape);
  const Tensor added = bias.declared() ? pass.parameter(bias).value() : Tensor();
  return best_tokens(transformed(pass, hidden).value(), table, added, count, excluded, log_sums);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

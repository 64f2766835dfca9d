#include "train/pytorch/model_values.hpp"

#include <fmt/format.h>

namespace tapehead {

namespace {

std::string function_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "F.relu";
    case Activation::silu:
      return "F.silu";
    case Activation::tanh:
      return "torch.tanh";
    default:
      return "F.gelu";
  }
}

std::map<std::string, bool, std::less<>> model_conditions(const ModelOptions& options) {
  const bool tied = ties_output(options.tie_embeddings);
  const bool transformed = options.head_transform != HeadTransform::none;
  const bool plain_output = !tied && !transformed;
  return {
      {"pairs", options.family == Family::encoder_decoder},
      {"decoder_only", options.family == Family::decoder},
      {"encoder_only", options.family == Family::encoder},
      {"prefix", options.family == Family::decoder && options.prefix == SourceRows::full},
      {"factored", options.factored_embedding()},
      {"learned_positions", options.positions == PositionKind::learned},
      {"sinusoidal_positions", options.positions == PositionKind::sinusoidal},
      {"scaled_positions", options.position_scale == PositionScale::inverse_sqrt_d_model},
      {"token_types", options.token_types > 0},
      {"embedding_norm", options.embedding_norm},
      {"scaled_embedding", options.embedding_scale == EmbeddingScale::sqrt_d_model},
      {"no_norm", options.norm == NormKind::none},
      {"layer_norm", options.norm == NormKind::layer_norm},
      {"norm_bias", options.bias_norm && options.norm == NormKind::layer_norm},
      {"norm_widths",
       options.factored_embedding() &&
           (options.embedding_norm || options.head_transform == HeadTransform::masked)},
      {"pre_norm", options.norm_position == NormPosition::pre},
      {"feed_forward", options.feed_forward != FeedForwardKind::none},
      {"gated", options.feed_forward == FeedForwardKind::gated},
      {"biases", options.bias_attention},
      {"tied_source", ties_source(options.tie_embeddings)},
      {"tied_output", tied},
      {"output_bias", options.bias_output},
      {"transformed", transformed},
      {"pooler", options.head_transform == HeadTransform::pooler},
      {"masked_transform", options.head_transform == HeadTransform::masked},
      {"output_linear", plain_output},
      {"output_class", transformed || (tied && options.bias_output)},
  };
}

// The rows of the table that are the weights of the output.
std::string tied_table(const ModelOptions& options, const ModelTables& tables) {
  const bool both = options.family == Family::encoder_decoder;
  const bool target = both && !ties_source(options.tie_embeddings);
  const char* table = options.family == Family::encoder ? "self.source" : "self.target";
  const bool whole = (target ? tables.target : tables.source) == tables.labels;
  return fmt::format("{}.embedding{}", table, whole ? "" : "[:LABELS]");
}

}  // namespace

std::string bias_argument(bool bias) { return bias ? "" : ", bias=False"; }

PartValues model_values(const ModelOptions& options, const ModelTables& tables) {
  const auto number = [](Index value) { return fmt::format("{}", value); };
  const bool narrow = options.factored_embedding();
  const bool narrow_output = narrow && options.head_transform == HeadTransform::masked;
  const bool pre = options.norm_position == NormPosition::pre;
  const bool tied_source = ties_source(options.tie_embeddings);
  return {.conditions = model_conditions(options),
          .places = {
              {"d_model", number(options.d_model)},
              {"d_embedding", number(options.embedding_width())},
              {"d_ff", number(options.feed_forward_width())},
              {"max_positions", number(options.max_positions)},
              {"token_types", number(options.token_types)},
              {"labels", number(tables.labels)},
              {"source_entries", number(tables.source)},
              {"target_entries", number(tied_source ? tables.source : tables.target)},
              {"epsilon", fmt::format("{}", options.norm_epsilon)},
              {"width", narrow ? "D_EMBEDDING" : "D_MODEL"},
              {"no_bias", bias_argument(options.bias_feed_forward)},
              {"activation", function_of(options.activation)},
              {"gelu", options.activation == Activation::gelu ? ", approximate=\"tanh\"" : ""},
              {"sum_with_norm", pre ? "x + f(norm(x))" : "norm(x + f(x))"},
              {"output_width", narrow_output ? "D_EMBEDDING" : "D_MODEL"},
              {"output_norm", narrow_output ? "Norm(D_EMBEDDING)" : "Norm()"},
              {"output_weight", ties_output(options.tie_embeddings) ? "weight" : "self.weight"},
              {"output_bias_argument", options.bias_output ? ", self.bias" : ""},
              {"no_output_bias", bias_argument(options.bias_output)},
              {"table", tied_table(options, tables)},
          }};
}

}  // namespace tapehead

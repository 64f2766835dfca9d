#include "train/model_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace tapehead {

namespace {

constexpr double passes = 3;  // a product forward, and two of its size backward

std::string stack_of(AttentionKind kind) {
  return kind == AttentionKind::encoder_self ? "encoder" : "decoder";
}

std::string layer_path(AttentionKind kind, Index layer, std::string_view what) {
  return fmt::format("{}.layers.{}.{}", stack_of(kind), layer, what);
}

std::string layers_text(Index first, Index last) {
  return first == last ? fmt::format("layer {}", first)
                       : fmt::format("layers {} to {}", first, last);
}

std::string attention_title(AttentionKind kind) {
  constexpr std::array<std::string_view, 3> titles{"encoder self-attention",
                                                   "decoder self-attention", "cross-attention"};
  return std::string(titles[static_cast<std::size_t>(kind)]);
}

double multiply_adds(const AttentionSpec& spec, const StepRows& rows) {
  const AttentionWork work = attention_work(spec);
  switch (spec.kind) {
    case AttentionKind::encoder_self:
      return passes * (work.query_row * rows.source + work.pair * rows.source_pairs);
    case AttentionKind::decoder_self:
      return passes * (work.query_row * rows.target + work.pair * rows.target_pairs);
    default:
      return passes * (work.query_row * rows.target + work.key_row * rows.source +
                       work.pair * rows.cross_pairs);
  }
}

// Adds the parts one by one.
class Parts {
 public:
  Parts(const ModelOptions& options, const StepRows& rows) : options_(options), rows_(rows) {}

  void add(ModelPart part) { list_.push_back(std::move(part)); }

  // Layers that follow each other and are alike are one part.
  void add_attention(AttentionKind kind) {
    const Index layers = attention_layers(options_, kind);
    for (Index first = 0, end = 0; first < layers; first = end) {
      const AttentionSpec spec = attention_spec(options_, kind, first);
      ModelPart part;
      for (end = first; end < layers && attention_spec(options_, kind, end) == spec; ++end) {
        part.paths.push_back(
            layer_path(kind, end, kind == AttentionKind::cross ? "cross" : "self"));
        part.parameters += own_parameters(spec);
        part.multiply_adds += tapehead::multiply_adds(spec, rows_);
      }
      if (!spec.shared_as.empty()) {
        part.paths.push_back("shared." + spec.shared_as);
      }
      part.name = fmt::format("{}, {}", attention_title(kind), layers_text(first, end - 1));
      add(std::move(part));
    }
  }

  void add_feed_forward(AttentionKind kind) {
    const Index layers = attention_layers(options_, kind);
    if (layers == 0) {
      return;
    }
    const Index D = options_.d_model;
    const Index F = options_.d_ff.value_or(4 * D);
    ModelPart part{
        .name = fmt::format("{} feed-forward, {}", stack_of(kind), layers_text(0, layers - 1)),
        .paths = {},
        .parameters = layers * (2 * D * F + F + D),
        .multiply_adds = passes * static_cast<double>(layers * 2 * D * F) *
                         (kind == AttentionKind::encoder_self ? rows_.source : rows_.target)};
    for (Index layer = 0; layer < layers; ++layer) {
      part.paths.push_back(layer_path(kind, layer, "feed_forward"));
    }
    add(std::move(part));
  }

  // Two in a layer of the encoder, three in one of the decoder; pre-norm closes each stack with
  // one.
  void add_norms() {
    const Index norms = 2 * attention_layers(options_, AttentionKind::encoder_self) +
                        3 * attention_layers(options_, AttentionKind::decoder_self) +
                        (options_.norm_position == NormPosition::pre ? 2 : 0);
    const Index width = options_.d_model * (options_.norm == NormKind::layer_norm ? 2 : 1);
    add({.name = "norms", .paths = {}, .parameters = norms * width});
  }

  std::vector<ModelPart> take() { return std::move(list_); }

 private:
  Index own_parameters(const AttentionSpec& spec) {
    const bool first = spec.shared_as.empty() || shared_.insert(spec.shared_as).second;
    return first ? attention_parameters(spec) : 0;
  }

  const ModelOptions& options_;
  const StepRows& rows_;
  std::set<std::string> shared_;
  std::vector<ModelPart> list_;
};

double squared(double x) { return x * x; }

}  // namespace

StepRows rows_of(const Batch& batch) {
  return {.source = static_cast<double>(batch.context.rows()),
          .target = static_cast<double>(batch.input.rows()),
          .source_pairs = attention_pairs(batch.context.segments, batch.context.segments),
          .target_pairs = attention_pairs(batch.input.segments, batch.input.segments),
          .cross_pairs = attention_pairs(batch.input.segments, batch.context.segments)};
}

// A batch has each sequence with one mark.
StepRows mean_rows(const Split& split, Index steps) {
  StepRows sum;
  for (const Example& example : split.examples) {
    const auto source = static_cast<double>(example.source.size() + 1);
    const auto target = static_cast<double>(example.target.size() + 1);
    sum.source += source;
    sum.target += target;
    sum.source_pairs += squared(source);
    sum.target_pairs += squared(target);
    sum.cross_pairs += source * target;
  }
  const auto count = static_cast<double>(steps);
  return {.source = sum.source / count,
          .target = sum.target / count,
          .source_pairs = sum.source_pairs / count,
          .target_pairs = sum.target_pairs / count,
          .cross_pairs = sum.cross_pairs / count};
}

std::vector<ModelPart> model_parts(const ModelOptions& options, Index source_vocabulary,
                                   Index target_vocabulary, const StepRows& rows) {
  const Index D = options.d_model;
  const bool one_table = ties_source(options.tie_embeddings);
  const Index positions =
      options.positions == PositionKind::learned ? options.max_positions * D : 0;
  Parts parts(options, rows);
  parts.add({.name = "source embedding",
             .paths = {"source"},
             .parameters = positions + (one_table ? 0 : source_vocabulary * D)});
  parts.add_attention(AttentionKind::encoder_self);
  parts.add_feed_forward(AttentionKind::encoder_self);
  parts.add({.name = one_table ? "target embedding, also the source's" : "target embedding",
             .paths = {"target"},
             .parameters = positions + (one_table ? source_vocabulary : target_vocabulary) * D});
  parts.add_attention(AttentionKind::decoder_self);
  parts.add_attention(AttentionKind::cross);
  parts.add_feed_forward(AttentionKind::decoder_self);
  parts.add_norms();
  const bool tied = ties_output(options.tie_embeddings);
  parts.add({.name = tied ? "output layer, the target embedding" : "output layer",
             .paths = {"output", "loss"},
             .parameters = tied ? 0 : target_vocabulary * D,
             .multiply_adds = passes * rows.target * static_cast<double>(target_vocabulary * D)});
  return parts.take();
}

std::size_t part_of(const std::vector<ModelPart>& parts, std::string_view path) {
  const auto owns = [&](const ModelPart& part) {
    return std::ranges::any_of(part.paths, [&](const std::string& own) {
      return path.starts_with(own) && (path.size() == own.size() || path[own.size()] == '.');
    });
  };
  const auto is_norms = [](const ModelPart& part) { return part.paths.empty(); };
  const bool norm = path.ends_with("norm");
  const auto found =
      norm ? std::ranges::find_if(parts, is_norms) : std::ranges::find_if(parts, owns);
  return static_cast<std::size_t>((found == parts.end() ? parts.end() - 1 : found) - parts.begin());
}

}  // namespace tapehead

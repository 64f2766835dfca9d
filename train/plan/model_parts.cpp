#include "train/plan/model_parts.hpp"

#include "train/model_training.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr double passes = 3;  // one product forward, and two of the same size backward

std::string layers_text(Index first, Index last) {
  return first == last ? fmt::format("layer {}", first)
                       : fmt::format("layers {} to {}", first, last);
}

constexpr std::array<std::string_view, 3> titles{"encoder self-attention", "decoder self-attention",
                                                 "cross-attention"};  // by AttentionKind

class Parts {
 public:
  Parts(const Transformer& model, const StepRows& rows) : model_(model), rows_(rows) {}

  void add_embedding(const Stack& stack) {
    const bool encoder = stack.name == StackName::encoder;
    const Stack& first = *model_.stacks().front();
    const bool both = &stack != &first && block_of(stack) == block_of(first);
    const bool alone = model_.stacks().size() == 1;
    list_.push_back({.name = alone ? "embedding"
                                   : fmt::format("{} embedding{}", encoder ? "source" : "target",
                                                 both ? ", also the source's" : ""),
                     .scopes = {stack.embedding.module.path()},
                     .multiply_adds = stack.embedding.map_weight.declared()
                                          ? work_of(stack.embedding.map_weight, rows_of(stack))
                                          : 0});
  }

  // Successive equal layers form one part.
  void add_attentions(AttentionKind kind) {
    const MultiHeadAttention* before = nullptr;
    Index first = 0;
    for (const MultiHeadAttention* attention : model_.attentions()) {
      const auto& [of, layer] = attention->site;
      if (of != kind) {
        continue;
      }
      if (before == nullptr || attention->spec != before->spec) {
        first = layer;
        list_.emplace_back().attention.emplace();
      }
      ModelPart& part = list_.back();
      part.name =
          fmt::format("{}, {}", titles[static_cast<std::size_t>(kind)], layers_text(first, layer));
      part.scopes.insert(part.scopes.end(), {attention->module.path(), attention->weights.path});
      const AttentionParts work = attention_parts(attention->spec, model_.main().name, rows_,
                                                  CountedPairs::allowed, passes);
      part.attention->projections += work.projections;
      part.attention->pairs += work.pairs;
      part.attention->output += work.output;
      part.multiply_adds = part.attention->all();
      before = attention;
    }
  }

  void add_feed_forward(const Stack& stack) {
    if (stack.layers.empty() || !stack.layers.front().feed_forward) {
      return;
    }
    const auto last = static_cast<Index>(stack.layers.size()) - 1;
    ModelPart part{
        .name = fmt::format("{} feed-forward, {}", name_of(stack.name), layers_text(0, last))};
    for (const Layer& layer : stack.layers) {
      const auto& block = layer.feed_forward->block;
      part.scopes.push_back(block.path);
      part.multiply_adds +=
          work_of(block.inner_weight, rows_of(stack)) + work_of(block.outer_weight, rows_of(stack));
    }
    list_.push_back(std::move(part));
  }

  void add_norms() {
    ModelPart part{.name = "norms"};
    for (const Stack* stack : model_.stacks()) {
      for (const Layer& layer : stack->layers) {
        part.scopes.push_back(layer.self_residual.norm.path);
        if (layer.cross) {
          part.scopes.push_back(layer.cross->residual.norm.path);
        }
        if (layer.feed_forward) {
          part.scopes.push_back(layer.feed_forward->residual.norm.path);
        }
      }
      if (stack->closing_norm) {
        part.scopes.push_back(stack->closing_norm->path);
      }
    }
    list_.push_back(std::move(part));
  }

  void add_output() {
    const OutputHead& output = model_.output();
    if (output.transform) {
      list_.push_back({.name = "head transform",
                       .scopes = {output.transform->module.path()},
                       .multiply_adds = work_of(output.transform->weight, rows_.labels)});
    }
    const bool tied = output.weight.block == block_of(model_.main());
    list_.push_back({.name = !tied                         ? "output layer"
                             : model_.stacks().size() == 1 ? "output layer, the embedding"
                                                           : "output layer, the target embedding",
                     .scopes = {output.module.path()},
                     .multiply_adds = work_of(output.weight, rows_.labels)});
  }

  std::vector<ModelPart> take() { return std::move(list_); }

 private:
  static Index block_of(const Stack& stack) { return stack.embedding.table.block; }

  double rows_of(const Stack& stack) const {
    return &stack == &model_.main() ? rows_.target : rows_.source;
  }

  static double work_of(const Parameter& weight, double rows) {
    return passes * rows * static_cast<double>(weight.shape.size());
  }

  const Transformer& model_;
  const StepRows& rows_;
  std::vector<ModelPart> list_;
};

Batch largest_part(const Batch& batch, const Config& config) {
  const auto rows = [](const Batch& part) { return part.context.rows() + part.input.rows(); };
  Batch largest;
  for (const Batch& shard : cut_into_shards(batch, config.training.shards.value_or(1))) {
    for (const Batch& part : cut_into_parts(shard, part_rows(config.model.d_model))) {
      if (rows(part) > rows(largest)) {
        largest = part;
      }
    }
  }
  return largest;
}

}  // namespace

std::vector<ModelPart> model_parts(const Transformer& model, const ParameterStore& store,
                                   const StepRows& rows) {
  Parts making(model, rows);
  for (const Stack* stack : model.stacks()) {
    const bool encoder = stack->name == StackName::encoder;
    making.add_embedding(*stack);
    making.add_attentions(encoder ? AttentionKind::encoder_self : AttentionKind::decoder_self);
    if (!encoder) {
      making.add_attentions(AttentionKind::cross);
    }
    making.add_feed_forward(*stack);
  }
  making.add_norms();
  making.add_output();
  std::vector<ModelPart> parts = making.take();
  for (const NamedParameter& parameter : store.parameters()) {
    ModelPart& part = parts[part_of(parts, parameter.name)];
    part.parameters += parameter.shape.size();
    const Index trained = parameter.frozen ? 0 : parameter.shape.size();
    part.trained += trained;
    part.in_matrices += parameter.kind == ParameterKind::matrix ? trained : 0;
  }
  return parts;
}

std::size_t part_of(const std::vector<ModelPart>& parts, std::string_view path) {
  std::size_t found = parts.size() - 1;
  std::size_t length = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const std::string& scope : parts[i].scopes) {
      if (lies_in(path, scope) && scope.size() > length) {
        found = i;
        length = scope.size();
      }
    }
  }
  return found;
}

std::size_t largest_batch(const TrainingEpoch& epoch) {
  const auto rows = [&](const std::vector<Index>& examples) {
    Index sum = 0;
    for (const Index number : examples) {
      const SequenceLengths lengths = epoch.source->lengths(number);
      sum += lengths.context + lengths.input + lengths.remembered;
    }
    return sum;
  };
  const auto largest = std::ranges::max_element(epoch.batches, {}, rows);
  return static_cast<std::size_t>(largest - epoch.batches.begin());
}

// The growth of the pool's memory in use since the op before is added to the part of the op.
void measure_activations(std::vector<ModelPart>& parts, const Model& model, const Config& config,
                         const Batch& batch) {
  const Batch largest = largest_part(batch, config);
  ParameterGradients gradients(model.store);
  Tape tape;
  Pass pass(tape, model.store, gradients, config.seed, 1);
  std::optional<LaneMemory> memory;
  if (const auto size = memory_size(config)) {
    pass.memory = &memory.emplace(*size);
  }
  auto before = static_cast<Index>(pool_use().bytes_used);
  tape.watch([&](const TapeEvent& event) {
    const auto now = static_cast<Index>(pool_use().bytes_used);
    // The module that was entered: a table that modules share does not name its user.
    const Module* module = event.entered != nullptr ? event.entered : event.module;
    const std::string_view path = module == nullptr ? std::string_view() : module->path();
    parts[part_of(parts, path)].activations += now - before;
    before = now;
  });
  batch_loss(model.transformer, pass, largest,
             {.label_smoothing = config.training.label_smoothing});
  for (ModelPart& part : parts) {
    part.activations = std::max<Index>(0, part.activations);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

#include "train/gradcheck/check_config.hpp"

#include "core/gradcheck/subject.hpp"
#include "core/ops/arithmetic.hpp"
#include "datasets/window_source.hpp"
#include "train/model_training.hpp"
#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The scopes of parameters that can reach the loss only through attentions without heads: the norm
// before such an attention, its scores and distances and, if no cross-attention has heads, all
// parameters of the context.
std::vector<std::string> idle_scopes(const Transformer& model) {
  std::vector<std::string> scopes;
  bool reads = false;
  const auto see = [&](const MultiHeadAttention& attention, const Residual& residual) {
    const bool heads = attention.spec.heads > 0;
    reads = reads || (heads && !attention.site.is_self());
    if (!heads) {
      const std::string& path = attention.weights.path;
      scopes.insert(scopes.end(), {path + ".score", path + ".distance"});
      if (residual.position == NormPosition::pre) {
        scopes.push_back(residual.norm.path);
      }
    }
  };
  for (const Stack* stack : model.stacks()) {
    for (const Layer& layer : stack->layers) {
      see(layer.self, layer.self_residual);
      if (layer.cross) {
        see(layer.cross->attention, layer.cross->residual);
      }
    }
  }
  const Stack& first = *model.stacks().front();
  if (!reads && &first != &model.main()) {
    scopes.insert(scopes.end(), {first.path, first.embedding.module.path()});
  }
  return scopes;
}

}  // namespace

Batch small_batch(const Source& source, Index tokens) {
  constexpr std::size_t most_examples = 6;
  std::vector<Index> chosen;
  SequenceLengths sum;
  Index shortest = 0;
  for (Index i = 0; i < source.size() && chosen.size() < most_examples; ++i) {
    const SequenceLengths rows = source.lengths(i);
    shortest = rows.longer() < source.lengths(shortest).longer() ? i : shortest;
    if (sum.context + rows.context <= tokens && sum.input + rows.input <= tokens) {
      chosen.push_back(i);
      sum.context += rows.context;
      sum.input += rows.input;
    }
  }
  if (chosen.empty()) {
    chosen.push_back(shortest);
  }
  return pack(source, chosen);
}

// With a memory, leaves out the first window, because only later windows read remembered rows.
Batch batch_to_check(const Config& config, const Task& task, Index tokens) {
  const Split& train = task.split("train");
  const Index memory = config.training.memory;
  if (memory == 0 || train.size() < 2) {
    return small_batch(*train.source, tokens);
  }
  const LaneWindows lane =
      in_lanes(train.text, train.size(), 1, memory, train.text.windowing.context);
  const auto later = mapped(std::views::iota(Index{1}, lane.source->size()), std::identity());
  return small_batch(*part_of(lane.source, later), tokens);
}

ModelGradcheckReport check_model(Model& model, const Config& config, const Batch& batch,
                                 const ModelGradcheckOptions& options) {
  constexpr Index step = 1;
  const Tensor noise = uneven({model.store.size()}, options.seed);
  for (Index i = 0; i < noise.size(); ++i) {
    model.store.values().data()[i] += Scalar(0.1) * noise.data()[i];
  }
  const PoolVector<Batch> shards = cut_into_shards(batch, config.training.shards.value_or(1));
  const LossFunction loss_of = training_loss(model, config);
  const PenaltyFunction penalty = gate_penalty(model.transformer, config.training.gate_penalty);
  std::optional<LaneMemory> memory;
  if (!batch.input.lanes.empty()) {  // any rows will do, unless they are all equal
    memory.emplace(LaneMemory::Size{.lanes = 1,
                                    .layers = std::ssize(model.transformer.main().layers),
                                    .rows = config.training.memory,
                                    .d_model = config.model.d_model});
    memory->committed() = uneven(memory->committed().shape(), options.seed + 1);
  }
  ParameterGradients unused(model.store);
  const LossAndGradients loss = [&](ParameterGradients* gradients) {
    double sum = 0;
    for (const Batch& shard : shards) {
      Tape tape(gradients != nullptr);
      Pass pass(tape, model.store, gradients != nullptr ? *gradients : unused, config.seed, step);
      pass.memory = memory ? &*memory : nullptr;
      const CrossEntropy result = loss_of(pass, shard);
      Var total = result.loss;
      if (penalty) {
        total = add(total, penalty_of(penalty, pass, shard));
      }
      sum += total.value().data()[0];
      tape.backward(total);
    }
    return sum;
  };
  ModelGradcheckOptions used = options;
  used.wanted = [&options, idle = idle_scopes(model.transformer)](std::string_view name) {
    return std::ranges::none_of(idle, std::bind_front(lies_in, name)) &&
           (!options.wanted || options.wanted(name));
  };
  return gradcheck_model(model.store, loss, used);
}

std::string gradcheck_table(const ModelGradcheckReport& report) {
  Table table({Align::left, Align::left, Align::right, Align::left},
              {"parameter", "shape", "direction error", "verdict"});
  for (const ParameterCheck& parameter : report.parameters) {
    table.row({parameter.name, parameter.shape.to_string(), fmt::format("{:.1e}", parameter.error),
               std::string(name_of(parameter.finding.verdict)) +
                   (parameter.too_small ? ", too small to tell" : "")});
  }
  return report.ok() ? table.text() : table.text() + "\n\n" + report.message();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

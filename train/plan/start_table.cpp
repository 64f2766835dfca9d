#include "train/plan/start_table.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "core/version.hpp"
#include "datasets/loader.hpp"
#include "train/model_training.hpp"
#include "train/options/weight_decay.hpp"
#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

struct DecayGroup {
  std::string_view name;
  Index parameters = 0;
  bool decays = false;
};

// Kinds that no option tells apart form one group, the weights; gates are named beside them.
std::size_t group_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::embedding:
      return 1;
    case ParameterKind::gain:
      return 2;
    case ParameterKind::bias:
      return 3;
    case ParameterKind::gate:
      return 4;
    default:
      return 0;
  }
}

std::string listed(const std::array<DecayGroup, 5>& groups, bool that_decay) {
  std::vector<std::string> texts;
  for (const DecayGroup& group : groups) {
    if (group.parameters > 0 && group.decays == that_decay) {
      texts.push_back(fmt::format("{} {}", group.parameters, group.name));
    }
  }
  return join(texts, ", ");
}

}  // namespace

std::string decay_text(const ParameterStore& store, const TrainingOptions& options) {
  std::array<DecayGroup, 5> groups{{{"weights"}, {"embeddings"}, {"gains"}, {"biases"}, {"gates"}}};
  for (const NamedParameter& parameter : store.parameters()) {
    DecayGroup& group = groups[group_of(parameter.kind)];
    group.parameters += parameter.frozen ? 0 : parameter.shape.size();
    group.decays = decays(options, parameter.kind);
  }
  const std::string others = listed(groups, false);
  return fmt::format("{} on {}{}", options.weight_decay, listed(groups, true),
                     others.empty() ? "" : "; not on " + others);
}

namespace {

Index target_tokens(const Source& source) {
  Index tokens = 0;
  for (Index i = 0; i < source.size(); ++i) {
    tokens += source.at(i).predicted;
  }
  return tokens;
}

std::string splits_text(const Task& task) {
  std::string text;
  for (const Split& split : task.splits) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", split.name, split.size());
    if (split.dropped > 0) {
      text += fmt::format(" ({} dropped)", split.dropped);
    }
  }
  return text;
}

std::string vocabulary_text(const Task& task) {
  const Index source = task.source_tokenizer->size();
  const Index target = task.target_tokenizer->size();
  if (source == target) {
    return fmt::format("{} entries", source);
  }
  return fmt::format("{} entries for the source, {} for the target", source, target);
}

std::string length_text(const TrainingOptions& training, Index steps_per_epoch) {
  std::string text = fmt::format("{} an epoch; until ", counted(steps_per_epoch, "step"));
  bool first = true;
  const auto add = [&](const std::string& limit) {
    text += (first ? "" : " or ") + limit;
    first = false;
  };
  if (training.steps) {
    add(fmt::format("step {}", *training.steps));
  }
  if (training.epochs) {
    add(fmt::format("epoch {}", *training.epochs));
  }
  if (training.minutes) {
    add(fmt::format("{} min have passed", *training.minutes));
  }
  if (training.patience > 0) {
    add(fmt::format("{} without anything better", counted(training.patience, "evaluation")));
  }
  return text;
}

std::string threads_text(const StartFacts& facts) {
  const Index shards = facts.config.training.shards.value_or(1);
  const auto& [threads, from] = facts.threads;
  std::string text =
      fmt::format("{}{}, {} a batch", counted(threads, "thread"),
                  from.empty() ? "" : fmt::format(" ({})", from), counted(shards, "shard"));
  if (facts.exchange.empty() && threads > shards) {
    text += fmt::format(" (training.shards: {} would use all threads)", threads);
  }
  return text;
}

}  // namespace

std::string start_table(const StartFacts& facts) {
  const Config& config = facts.config;
  Table table({Align::left, Align::left});
  table.row({"run", facts.run});
  table.row({"parameters", parameters_text(facts.store.count(), facts.store.trained_count())});
  table.row({"examples", splits_text(facts.task)});
  table.row({"vocabulary", vocabulary_text(facts.task)});
  table.row({"target tokens", fmt::format("{} an epoch, {} a batch",
                                          format_count(static_cast<double>(
                                              target_tokens(*facts.task.split("train").source))),
                                          config.training.batch_tokens)});
  table.row({"length", length_text(config.training, facts.run_plan.steps_per_epoch)});
  if (const auto memory = memory_size(config)) {
    table.row(
        {"memory", fmt::format("{} before each of {}, of {}", counted(memory->rows, "row"),
                               counted(memory->layers, "layer"), counted(memory->lanes, "lane"))});
  }
  if (const std::string rate = zero_rate_text(config, facts.run_plan); !rate.empty()) {
    table.row({"learning rate", rate});
  }
  if (config.training.weight_decay > 0) {
    table.row({"weight decay", decay_text(facts.store, config.training)});
  }
  table.row({"work", threads_text(facts)});
  if (!facts.exchange.empty()) {
    table.row({"ranks", facts.exchange});
  }
  table.row({"kernels", fmt::format("{} ({})", kernel_level(), vector_instructions())});
  table.row(
      {"BLAS", fmt::format("OpenBLAS, {} kernels{}, 1 thread for each worker", facts.blas.kernels,
                           facts.blas.switched ? " (chosen by tapehead)" : "")});
  return table.text() + "\n\n" + parts_table(facts.parts) + "\n";
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

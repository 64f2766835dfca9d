#include "train/loop/initial_weights.hpp"

#include "core/text.hpp"
#include "datasets/corpus/windows.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/options/application.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

fs::path weights_of(const RunFiles& run) {
  for (const std::string wanted : {"best", "average", "last"}) {
    const fs::path file = find_checkpoint(run, wanted);
    if (fs::exists(file)) {
      return file;
    }
  }
  throw IoError("run {} has no weights to start from", run.directory.string());
}

OpenedRun open_initial_run(const fs::path& directory) {
  const RunFiles files = [&] {
    try {
      return find_run(directory);
    } catch (const IoError& error) {
      throw IoError("model.init_from: {}", error.what());
    }
  }();
  OpenedRun run{files.directory, load_config(files.config()).config,
                load_tokenizers(files.directory), TensorFile(weights_of(files))};
  expect_identity(run.weights, identity_of(run.config, run.tokenizers));
  return run;
}

// Copies options that can be added to trained weights, such as gates, which are open at first.
void take_over_additions(const Config& config, Config& other) {
  const AttentionSpec defaults;
  for (const AttentionKind kind : attention_kinds) {
    AttentionSettings::walk(
        [](const AttentionField& field, const auto& ours, const auto& standard, auto& theirs) {
          if (field.may_be_added &&
              std::ranges::count(theirs.values, standard) == std::ssize(theirs.values)) {
            theirs = ours;
          }
        },
        config.model.settings(kind), defaults, other.model.settings(kind));
  }
}

// `other_head`: the options of the output layer may differ.
void expect_same_meaning(const Config& config, const OpenedRun& run, bool other_head) {
  Config other = run.config;
  take_over_additions(config, other);
  if (other_head) {
    other.model.tie_embeddings = config.model.tie_embeddings;
    other.model.bias_output = config.model.bias_output;
    other.model.head_transform = config.model.head_transform;
  }
  const auto differences = meaning_differences(other, config);
  if (!differences.empty()) {
    throw IoError("cannot start from the weights of {}: its model differs ({})",
                  run.directory.string(), some_of(differences));
  }
}

std::string_view name_of(Side side) { return side == Side::source ? "source" : "target"; }

// The entries of a side that both runs have; nullopt: the same rows. A mask is one more row.
std::optional<VocabularyMatch> match_side(const OpenedRun& run, const Config& config,
                                          const Tokenizers& tokenizers, Side side) {
  const bool source = side == Side::source;
  const auto of_side = source ? &Tokenizers::source : &Tokenizers::target;
  const Tokenizer& theirs = *(run.tokenizers.*of_side);
  const Tokenizer& ours = *(tokenizers.*of_side);
  const bool our_mask = source && use_of(config).mask;
  const bool their_mask = source && use_of(run.config).mask;
  if (our_mask == their_mask && tokenizer_digest(theirs) == tokenizer_digest(ours)) {
    return {};
  }
  VocabularyMatch match = match_vocabularies(theirs, ours);
  if (match.matched == 0) {
    throw IoError(
        "cannot start from the weights of {}: it has none of the {} entries of the {} vocabulary; "
        "give both runs the same tokenizer (task.tokenizer) and data of the same language",
        run.directory.string(), match.entries, name_of(side));
  }
  if (our_mask) {
    match.from.push_back(their_mask ? mask_id(theirs) : -1);
  }
  return match;
}

// Loads the rows of the entries that both vocabularies contain.
void load_rows(const TensorFile& file, const NamedParameter& parameter,
               const VocabularyMatch& match, ParameterStore& store) {
  const bool of_numbers = parameter.shape.rank() == 1;
  const Index columns = of_numbers ? 1 : parameter.shape[1];
  const Index rows = file.entry(parameter.name).shape.front();
  ParameterStore theirs;
  theirs.root().create(parameter.name, parameter.kind,
                       of_numbers ? Shape{rows} : Shape{rows, columns}, Initializer::constant(0));
  theirs.set_to_zeros();
  load_weights(file, theirs);
  const Tensor from = theirs.value(theirs.parameters().front());
  Tensor to = store.value(parameter);
  for (Index row = 0; row < to.dim(0); ++row) {
    const Index other = match.from[static_cast<std::size_t>(row)];
    if (other >= 0 && other < rows) {
      std::copy_n(from.data() + other * columns, columns, to.data() + row * columns);
    }
  }
}

std::string in_words(const OpenedRun& run,
                     const std::map<Side, std::optional<VocabularyMatch>>& matches,
                     const std::vector<std::string>& fresh) {
  std::string text = fmt::format("starting from the weights of {}", run.directory.string());
  for (const auto& [side, match] : matches) {
    if (match && match->matched < match->entries) {
      text += fmt::format(
          "\n  its {} vocabulary differs: {} of {} entries are in both; the rows of all other "
          "entries start with new weights",
          name_of(side), match->matched, match->entries);
    }
  }
  if (!fresh.empty()) {
    text +=
        fmt::format("\n  its output layer is for another task; new weights: {}", join(fresh, ", "));
  }
  return text;
}

}  // namespace

std::string load_initial_weights(const Config& config, const Tokenizers& tokenizers, Model& model) {
  const OpenedRun run = open_initial_run(config.model.init_from);
  // Our output layer must be new if another command uses the model, or if its classes differ.
  const bool other_head =
      use_of(config).command != use_of(run.config).command ||
      (!use_of(config).gives_entries() &&
       tokenizer_digest(*tokenizers.target) != tokenizer_digest(*run.tokenizers.target));
  expect_same_meaning(config, run, other_head);
  std::map<Side, std::optional<VocabularyMatch>> matches;
  matches[Side::source] = match_side(run, config, tokenizers, Side::source);
  if (!other_head) {
    matches[Side::target] = match_side(run, config, tokenizers, Side::target);
  }
  const std::string& head = model.transformer.output().module.path();
  const std::vector<VocabularyTable> tables = model.transformer.vocabulary_tables();
  std::vector<std::string> fresh;
  for (const NamedParameter& parameter : model.store.parameters()) {
    const auto table = std::ranges::find(
        tables, parameter.block, [](const VocabularyTable& one) { return one.table.block; });
    if (other_head && lies_in(parameter.name, head)) {
      fresh.push_back(parameter.name);
    } else if (table != tables.end() && matches[table->side]) {
      load_rows(run.weights, parameter, *matches[table->side], model.store);
    } else if (parameter.kind != ParameterKind::gate ||
               run.weights.find(parameter.name) != nullptr) {
      load_weight(run.weights, parameter, model.store);
    }
  }
  std::string text = in_words(run, matches, fresh);
  if (run.config.training.precision != config.training.precision) {
    text += fmt::format("\n  its training multiplied in {}, this one does in {}",
                        name_of(run.config.training.precision), name_of(config.training.precision));
  }
  return text;
}

void check_initial_weights(const Config& config, const Task& task) {
  if (!config.model.init_from.empty()) {
    Model model(config, task);
    load_initial_weights(config, {task.source_tokenizer, task.target_tokenizer}, model);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

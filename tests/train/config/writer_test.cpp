// A written config reads back unchanged.
#include <nlohmann/json.hpp>
#include <random>

#include "datasets/synthetic/symbols.hpp"
#include "datasets/text/labelled_options.hpp"
#include "datasets/text/parallel_options.hpp"
#include "datasets/text/text_options.hpp"
#include "nn/attention/spec.hpp"
#include "tests/support/task_option.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"
#include "train/options/application.hpp"

namespace tapehead { namespace {

// Sets a member to another random value in its range, of any magnitude.
struct Scramble {
  std::mt19937_64& draw;

  double between(const Field& field) const {
    const double low = std::max(field.minimum, 1e-12);
    const double share = std::uniform_real_distribution<double>(0.01, 0.99)(draw);
    return low * std::pow(std::min(field.maximum, 1e12) / low, share);
  }
  void operator()(const Field&, bool* member) const { *member = draw() % 2 == 0; }
  void operator()(const Field& field, Index* member) const {
    *member = static_cast<Index>(std::ceil(between(field)));
  }
  void operator()(const Field& field, double* member) const { *member = between(field); }
  void operator()(const Field&, std::uint64_t* member) const { *member = draw(); }
  void operator()(const Field&, std::string* member) const {
    *member = "\"quoted\" back\\slash: # ä 😀 'x' " + std::to_string(draw());
  }
  void operator()(const Field& field, std::vector<std::string>* member) const {
    member->resize(draw() % 3);
    for (std::string& text : *member) {
      (*this)(field, &text);
    }
  }
  template <class Value>
  void operator()(const Field& field, std::optional<Value>* member) const {
    Value value{};
    (*this)(field, &value);
    *member = value;
  }
  void operator()(const Field&, const Choice& choice) const {
    choice.set(draw() % choice.names.size());
  }
  // Skips attention options: random values would hardly ever be compatible.
  void operator()(const Field&, const Notation&) const {}
  void operator()(const Field&, const LayeredCell&) const {}
};

void repair_vocabulary(TokenizerKind kind, Index usual, Index& vocabulary, bool& lower_case) {
  lower_case = lower_case && kind == TokenizerKind::word_piece;
  if (kind == TokenizerKind::byte || kind == TokenizerKind::byte_bpe) {
    vocabulary = usual;
  }
}

void repair(ParallelTextOptions& text) {
  const ParallelTextOptions defaults;
  text.train_tsv = text.validation_tsv = text.test_tsv = "";
  text.header = defaults.header;
  const bool own = text.tokenizer_of.empty();
  text.tokenizer = own ? text.tokenizer : defaults.tokenizer;
  if (!own || text.tokenizer != TokenizerKind::bpe) {
    text.subword_dropout = 0;
  }
  repair_vocabulary(text.tokenizer, defaults.vocabulary, text.vocabulary, text.lower_case);
  text.vocabulary = own ? text.vocabulary : defaults.vocabulary;
  if (!own || !is_sentencepiece(text.tokenizer)) {
    text.normalization = defaults.normalization;
    text.character_coverage = defaults.character_coverage;
  }
  const std::size_t tests = text.further_tests.size();
  for (std::size_t i = 0; i < tests; ++i) {
    text.further_tests[i] = "further-" + std::to_string(i);
  }
  text.further_sources.assign(tests, text.train_source);
  text.further_targets.assign(tests, text.train_target);
  text.further_types.resize(text.further_types.empty() ? 0 : tests);
  for (std::size_t i = 0; i < text.type_groups.size(); ++i) {
    text.type_groups[i] = "group" + std::to_string(i) + " = " + text.train_source;
  }
}

void repair(TextOptions& text) {
  const TextOptions defaults;
  text.validation_text = text.test_text = "";
  text.validation_share = text.test_share = 0.25;
  text.documents = DocumentEnd::separator;
  text.mask_share = defaults.mask_share;
  text.mask_words = false;
  text.begin_mark = true;
  const bool own = text.tokenizer_of.empty();
  text.tokenizer = own ? text.tokenizer : defaults.tokenizer;
  if (!own || !is_sentencepiece(text.tokenizer)) {
    text.character_coverage = defaults.character_coverage;
  }
  repair_vocabulary(text.tokenizer, defaults.vocabulary, text.vocabulary, text.lower_case);
  text.vocabulary = own ? text.vocabulary : defaults.vocabulary;
}

void repair(LabelledTextOptions& text) {
  const LabelledTextOptions defaults;
  for (std::string* file :
       {&text.train_text, &text.train_labels, &text.validation_text, &text.validation_labels,
        &text.test_text, &text.test_labels, &text.validation_tsv}) {
    file->clear();
  }
  text.train_tsv = "train.tsv";
  const bool own = text.tokenizer_of.empty();
  text.tokenizer = own ? text.tokenizer : defaults.tokenizer;
  if (!own || !is_sentencepiece(text.tokenizer)) {
    text.normalization = defaults.normalization;
    text.character_coverage = defaults.character_coverage;
  }
  repair_vocabulary(text.tokenizer, defaults.vocabulary, text.vocabulary, text.lower_case);
  text.vocabulary = own ? text.vocabulary : defaults.vocabulary;
}

void repair(TaskOptions& task) {
  const std::map<std::string_view, Index> fitting{{"first_offset", 1},
                                                  {"second_offset", 6},
                                                  {"min_pairs", 1},
                                                  {"min_gap", 0},
                                                  {"facts", 1},
                                                  {"min_sentences", 5},
                                                  {"max_sentences", 6},
                                                  {"longer_min_sentences", 7},
                                                  {"longer_max_sentences", 8}};
  for (const Row& row : rows_of(task)) {
    if (const auto value = fitting.find(row.field.name); value != fitting.end()) {
      *std::get<Index*>(row.cell) = value->second;
    }
  }
  if (task.find<SyntheticOptions>() != nullptr) {
    task.as<SyntheticOptions>() = {.min_length = 7};
  }
  if (task.find<ParallelTextOptions>() != nullptr) {
    repair(task.as<ParallelTextOptions>());
  }
  if (task.find<TextOptions>() != nullptr) {
    repair(task.as<TextOptions>());
  }
  if (task.find<LabelledTextOptions>() != nullptr) {
    repair(task.as<LabelledTextOptions>());
  }
  if (task.kind().name == "few_shot") {
    task_option(task, "shots") = 1;
  }
  for (const std::string name : {"modular_arithmetic", "repeated"}) {
    if (task.kind().name == name) {
      task = TaskOptions(name);
    }
  }
}

// Sets a metric and options that fit the kind of the examples.
void repair(EvaluationOptions& evaluation, ExampleKind examples) {
  if (!is_measured(kind_of(evaluation.metric), examples)) {
    evaluation.metric = Metric::loss;
  }
  evaluation.decode = true;
  evaluation.stride.reset();
  evaluation.memory.reset();
  if (examples == ExampleKind::text) {
    evaluation = {.metric = evaluation.metric, .stride = 1};
  }
}

// Sets a memory if the task is running text and rows have no position embedding.
void repair_memory(Config& config) {
  config.training.memory = 0;
  if (use_of(config).windows && config.model.positions == PositionKind::none) {
    config.training.memory = 7;
    config.training.batch_lengths = BatchLengths::alike;
    config.evaluation.stride.reset();
    config.evaluation.memory = 9;
    Index& context = config.task.as<TextOptions>().context;
    context = std::min<Index>(context, 1'000'000);
  }
}

// Makes random options compatible.
void repair(Config& config) {
  repair(config.task);
  config.training.steps.reset();
  config.training.schedule = ScheduleKind::constant;
  // Options of other optimisers must keep their defaults.
  const TrainingOptions defaults;
  const OptimizerKind kind = config.training.optimizer;
  const auto keep = [&](bool used, double& value, double standard) {
    value = used ? value : standard;
  };
  keep(kind == OptimizerKind::sgd, config.training.momentum, defaults.momentum);
  keep(kind != OptimizerKind::sgd, config.training.beta1, defaults.beta1);
  keep(kind != OptimizerKind::sgd, config.training.beta2, defaults.beta2);
  keep(kind != OptimizerKind::sgd, config.training.epsilon, defaults.epsilon);
  keep(kind == OptimizerKind::muon, config.training.muon_rate, defaults.muon_rate);
  keep(kind == OptimizerKind::muon, config.training.muon_momentum, defaults.muon_momentum);
  config.training.learning_rate_end = 0;  // a constant schedule has none
  repair(config.evaluation, config.task.kind().examples);
  const bool one_stack = !measurable(config.task.kind().examples).outputs;
  if (!use_of(config).gives_entries()) {
    config.model.token_types = 2;
    config.evaluation = {.every = config.evaluation.every, .metric = config.evaluation.metric};
  }
  if (one_stack) {
    config.model.family = Family::decoder;
    config.model.encoder_layers = 0;
  } else {
    config.model.family = Family::encoder_decoder;
  }
  config.model.decoder_layers = std::max<Index>(config.model.decoder_layers.value_or(1), 1);
  config.model.prefix = SourceRows::causal;
  config.model.bias_norm = config.model.bias_norm || config.model.norm != NormKind::layer_norm;
  if (config.model.norm == NormKind::none) {
    const ModelOptions usual;
    config.model.norm_epsilon = usual.norm_epsilon;
    config.model.norm_position = usual.norm_position;
    config.model.embedding_norm = false;
  }
  config.model.tie_embeddings = Tying::none;
  if (config.model.positions == PositionKind::none) {
    config.model.position_scale = PositionScale::none;
  }
  repair_memory(config);
  config.model.layer_groups.reset();
  if (!config.model.factored_embedding()) {
    config.model.d_embedding.reset();  // as resolve() does
  }
  config.model.max_positions = 1'048'576;  // the maximum, so that any drawn length fits
  (one_stack ? config.model.decoder_self : config.model.cross).gates.values = {HeadGating::l0};
  resolve_attention(config.model);
}

void expect_same(Config& one, Config& other) {
  const auto left = sections(one);
  const auto right = sections(other);
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_EQ(left[i].rows.size(), right[i].rows.size());
    for (std::size_t j = 0; j < left[i].rows.size(); ++j) {
      EXPECT_EQ(write_value(left[i].rows[j]), write_value(right[i].rows[j]))
          << full_name(left[i].name, left[i].rows[j].field.name);
    }
  }
}

TEST(ConfigWriter, a_dump_reads_back_as_it_was) {
  std::mt19937_64 draw(1);
  for (int round = 0; round < 200; ++round) {
    for (const auto& group : task_groups()) {
      Config config = config_for(*group.front());
      for (const Section& section : sections(config)) {
        for (const Row& row : section.rows) {
          if (full_name(section.name, row.field.name) == "task.name") {
            continue;
          }
          std::visit([&](auto& cell) { Scramble{draw}(row.field, cell); }, row.cell);
        }
      }
      repair(config);
      const std::string dump = dump_config(config);
      Config read = parse_config(dump, "run/config.yaml").config;
      expect_same(config, read);
      EXPECT_EQ(read.training.learning_rate, config.training.learning_rate);  // bit-identical
      EXPECT_EQ(dump_config(read), dump);
      if (round % 10 == 0) {  // JSON is slower
        EXPECT_EQ(dump_config(parse_config(config_json(config), "run/config.json").config), dump);
      }
    }
  }
}

TEST(ConfigWriter, lists_over_layers_and_heads_read_back_as_they_were) {
  const std::string text = R"(
model: {d_model: 24, layers: 3}
attention: {heads: [4, 2, 1], pattern: [[full, window 3, causal, window 2 0], [causal], [full]]}
encoder_self: {heads: 3, pattern: [blocks 4 top_k 2, fixed 8 2, strided 3], score: [dot, cosine, bilinear]}
decoder_self: {d_qk: [2, 4, 6], shared_as: ["a b", "", "[c]"]}
)";
  const Config config = parse_config(text, "a.yaml").config;
  EXPECT_EQ(config.model.encoder_self.score.values.size(), 1U);  // equal in all layers
  EXPECT_EQ(config.model.encoder_self.score.at(2).at(1), Score::cosine);
  EXPECT_EQ(config.model.decoder_self.heads.values, (std::vector<Index>{4, 2, 1}));
  EXPECT_EQ(config.model.decoder_self.shared_as.at(2), "[c]");
  const std::string dump = dump_config(config);
  EXPECT_THAT(dump,
              HasSubstr("\n  pattern: [[full, window 3, causal, window 2 0], [causal], [full]]"
                        "\n"));
  EXPECT_THAT(dump, HasSubstr("\n  shared_as: [\"a b\", \"\", \"[c]\"]\n"));
  EXPECT_EQ(dump_config(parse_config(dump, "run/config.yaml").config), dump);
  EXPECT_EQ(dump_config(parse_config(config_json(config), "run/config.json").config), dump);
}

TEST(ConfigWriter, json_has_the_values_of_the_options_and_null_for_what_is_open) {
  const Config config =
      parse_config("{attention: {heads: [4, 2]}, model: {layers: 2}}", "a.yaml").config;
  const auto object = nlohmann::json::parse(config_json(config));
  EXPECT_EQ(object["seed"], 1);
  EXPECT_EQ(object["model"]["norm"], "layer_norm");
  EXPECT_EQ(object["model"]["tie_embeddings"].type(), nlohmann::json::value_t::string);
  EXPECT_EQ(object["model"]["bias_output"], false);
  EXPECT_EQ(object["attention"]["heads"], nlohmann::json({4, 2}));
  EXPECT_EQ(object["evaluation"]["every"], nullptr);  // an epoch: depends on the data
}

TEST(ConfigWriter, every_option_of_the_task_is_written) {
  Config config = config_for(task_kind("parallel_text"));
  const std::string dump = dump_config(config);
  for (const Section& section : sections(config)) {
    for (const Row& row : section.rows) {
      EXPECT_THAT(dump, HasSubstr(std::string(row.field.name) + ": "));
    }
  }
  EXPECT_THAT(dump, StartsWith("seed: 1\n\ntask:\n  name: parallel_text\n  train_source: \"\"\n"));
  EXPECT_THAT(dump, HasSubstr("\n  d_head: auto\n"));
}

TEST(ConfigWriter, numbers_are_numbers_to_every_yaml_reader) {
  EXPECT_EQ(number_text(1e-9), "1.0e-09");  // YAML 1.1 reads 1e-09 as text
  EXPECT_EQ(number_text(2.5e-7), "2.5e-07");
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(5), "5");
}

TEST(ConfigWriter, origins_stand_in_an_aligned_column) {
  const LoadedConfig loaded =
      parse_config("seed: 3\nmodel: {d_model: 32}\n", "a.yaml", {"training.steps=9"});
  const std::string dump = dump_config_with_origins(loaded);
  std::istringstream lines(dump);
  std::string line;
  std::optional<std::size_t> column;
  while (std::getline(lines, line)) {
    const std::size_t comment = line.find(" # ");
    if (comment == std::string::npos) {
      continue;
    }
    if (!column) {
      column = comment;
    }
    EXPECT_EQ(comment, *column) << line;
  }
  EXPECT_THAT(dump, ContainsRegex("  d_model: 32 +# a.yaml:2:18\n"));
  EXPECT_THAT(dump, ContainsRegex("  d_head: 8 +# auto\n"));
  EXPECT_THAT(dump, ContainsRegex("  steps: 9 +# --set\n"));
  EXPECT_THAT(dump, ContainsRegex("  heads: 4 +# default\n"));
  Config read = parse_config(dump, "b.yaml").config;
  Config config = loaded.config;
  expect_same(config, read);
}

}}  // namespace tapehead

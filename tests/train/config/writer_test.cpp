// A written config reads back unchanged.
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/testing.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"

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
  // The lists of attention options: see the tests below.
  void operator()(const Field&, const Notation&) const {}
  void operator()(const Field&, const LayeredCell&) const {}
};

// Reads a document into a config of the task, without the rules that random options would break.
Config read_back(const std::string& text, const std::string& file, const TaskKind& task) {
  std::map<std::string, ConfigNode> nodes;
  const ConfigNode root = parse_document(text, file);
  for (const ConfigEntry& entry : root.entries) {
    nodes[entry.key] = entry.value;
    for (const ConfigEntry& option : entry.value.entries) {
      nodes[full_name(entry.key, option.key)] = option.value;
    }
  }
  Config config = config_for(task);
  for_each_option(sections(config), [&](const std::string& name, const Row& row) {
    if (name != "task.name") {
      read_value(row, nodes.at(name));
    }
  });
  return config;
}

TEST(ConfigWriter, a_dump_reads_back_as_it_was) {
  std::mt19937_64 draw(1);
  for (int round = 0; round < 200; ++round) {
    for (const auto& group : task_groups()) {
      const TaskKind& task = *group.front();
      Config config = config_for(task);
      for_each_option(sections(config), [&](const std::string& name, const Row& row) {
        if (name != "task.name") {
          std::visit([&](auto& cell) { Scramble{draw}(row.field, cell); }, row.cell);
        }
      });
      const std::string dump = dump_config(config);
      EXPECT_THAT(dump, StartsWith(fmt::format("seed: {}\n\ntask:\n  name: {}\n  ", config.seed,
                                               task.name)));
      const Config read = read_back(dump, "run/config.yaml", task);
      EXPECT_EQ(dump_config(read), dump);
      EXPECT_EQ(read.training.learning_rate, config.training.learning_rate);  // bit-identical
      if (round % 10 == 0) {                                                  // JSON is slower
        EXPECT_EQ(dump_config(read_back(config_json(config), "run/config.json", task)), dump);
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
              HasSubstr("\n  pattern: [[full, window 3, causal, window 2 0], [causal], [full]]\n"));
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
  std::set<std::size_t> columns;
  std::istringstream lines(dump);
  for (std::string line; std::getline(lines, line);) {
    columns.insert(line.find(" # "));
  }
  columns.erase(std::string::npos);
  EXPECT_THAT(columns, SizeIs(1));
  EXPECT_THAT(dump, ContainsRegex("  d_model: 32 +# a.yaml:2:18\n"));
  EXPECT_THAT(dump, ContainsRegex("  d_head: 8 +# auto\n"));
  EXPECT_THAT(dump, ContainsRegex("  steps: 9 +# --set\n"));
  EXPECT_THAT(dump, ContainsRegex("  heads: 4 +# default\n"));
  EXPECT_EQ(dump_config(parse_config(dump, "b.yaml").config), dump_config(loaded.config));
}

}}  // namespace tapehead

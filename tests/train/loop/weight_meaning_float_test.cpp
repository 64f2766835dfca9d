// Which options change the meaning of weights: the config rows compared with the model.
#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "datasets/task.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"
#include "train/config/document/document.hpp"
#include "train/config/overrides.hpp"
#include "train/config/rows.hpp"
#include "train/experiment.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr const char* small_config = R"(
task: {name: copy, vocabulary: 6, min_length: 9, max_length: 12, train_examples: 4,
       validation_examples: 1, test_examples: 1}
model: {d_model: 8, heads: 2, layers: 1, d_ff: 6, max_positions: 40}
)";

// Together these bases use every option: narrow heads with relative positions, T5's distances with
// gates, a decoder alone, rotary positions, and BERT's embedding and output head.
const std::vector<std::vector<std::string>> bases{
    {"model.activation=gelu", "attention.positions=relative", "attention.clip=2",
     "attention.dropout=0.1"},
    {"model.positions=learned", "attention.positions=t5", "attention.buckets=6",
     "attention.farthest=8", "attention.gates=l0", "attention.pattern=window 9"},
    {"model.family=decoder"},
    {"attention.positions=rotary"},
    {"model.layers=2", "model.head_transform=masked", "model.d_embedding=6",
     "model.embedding_norm=true"}};

// Values to try for a config row, as texts.
std::vector<std::string> others(const Row& row) {
  const Cell* cell = &row.cell;
  if (const auto* list = std::get_if<LayeredCell>(cell)) {
    cell = &list->element->cell;
  }
  if (const auto* choice = std::get_if<Choice>(cell)) {
    return {choice->names.begin(), choice->names.end()};
  }
  if (std::holds_alternative<Notation>(*cell)) {
    return {"full", "window 1", "top_k 2"};
  }
  if (std::holds_alternative<bool*>(*cell)) {
    return {"true", "false"};
  }
  if (std::holds_alternative<std::string*>(*cell)) {
    return {row.field.name == "shared_as" ? "one" : "elsewhere"};
  }
  return {"0.25", "1", "2", "3", "4", "6", "7", "12", "16", "41"};
}

// Parameter shapes, and the logits for weights that depend on parameter name and index alone.
struct Said {
  std::map<std::string, std::string> parameters;
  std::vector<Scalar> logits;
  bool operator==(const Said&) const = default;
};

Said said_by(const Config& config) {
  Model model(config, 9, 9);
  Said said;
  for (const NamedParameter& parameter : model.store.parameters()) {
    // Leaves out the shape of position tables: more positions only make the table longer.
    const bool positions = parameter.name.ends_with(".positions");
    said.parameters[parameter.name] = positions ? "" : parameter.shape.to_string();
    Tensor values = model.store.value(parameter);
    const Draws draws(7, parameter.name, 0);
    for (Index i = 0; i < values.size(); ++i) {
      values.data()[i] =
          static_cast<Scalar>(2 * draw_uniform(draws, static_cast<std::uint64_t>(i)) - 1);
    }
  }
  const Task task = make_task(config.task, {.seed = 1, .layout = layout_of(config.model)});
  const Batch batch = pack(*task.split("train").source, {0, 1});
  Tape tape(false);
  Pass pass(tape, model.store);
  const auto logits = model.transformer.logits(pass, model.transformer.hidden(pass, batch)).value();
  said.logits.assign(logits.values().begin(), logits.values().end());
  return said;
}

// Whether another value of the option was tried, and whether it changed the model, in any base.
struct Finding {
  bool tried = false;
  bool changed = false;
};

void try_option(const std::vector<std::string>& base, const std::string& option, const Row& row,
                Finding& finding) {
  const Config resolved = parse_config(small_config, "base.yaml", base).config;
  const Said before = said_by(resolved);
  for (const std::string& value : others(row)) {
    try {
      // In a stored config, no other option follows this one.
      const auto sources = with_bases(parse_document(dump_config(resolved), "base.yaml"), "");
      const Config other = read_config(sources, parse_overrides({option + "=" + value})).config;
      finding.changed = finding.changed || said_by(other) != before;
      finding.tried = true;
    } catch (const std::invalid_argument&) {
      continue;  // incompatible with other options, or with the sentences
    }
  }
}

TEST(WeightMeaning, rows_say_which_options_change_it) {
  Config names = config_for(task_kind("copy"));
  Index looked_at = 0;
  for (const Section& section : sections(names)) {
    if (!Matches(AnyOf("model", "encoder_self", "decoder_self", "cross"))(section.name)) {
      continue;
    }
    for (const Row& row : section.rows) {
      const std::string option = full_name(section.name, row.field.name);
      Finding all;
      for (const auto& base : bases) {
        try_option(base, option, row, all);
      }
      // Cross-attention has no distances, so these options have no effect there.
      const bool of_distances = Matches(
          AnyOf("positions", "clip", "buckets", "farthest", StartsWith("rotary_")))(row.field.name);
      if (section.name == "cross" && of_distances) {
        EXPECT_FALSE(all.changed) << option;
        continue;
      }
      // A stored config has the widths that resulted from the budget, and rejects another budget.
      if (row.field.name == "budget") {
        EXPECT_FALSE(all.tried) << option;
        EXPECT_TRUE(row.field.keeps_meaning) << option;
        continue;
      }
      EXPECT_TRUE(all.tried) << option << " has no other value here";
      EXPECT_EQ(all.changed, !row.field.keeps_meaning) << option;
      ++looked_at;
    }
  }
  EXPECT_GT(looked_at, 70);  // options of the model, and over 20 for each of 3 attention kinds
}

TEST(WeightMeaning, names_the_option_that_differs) {
  const auto config = [](const std::vector<std::string>& set) {
    return parse_config(small_config, "a.yaml", set).config;
  };
  std::vector<std::string> expected;
  for (const std::string attention : {"cross", "decoder_self", "encoder_self"}) {
    for (const std::string difference :
         {"d_qk: 2, not 4", "d_v: 2, not 4", "heads: 4, not 2", "kv_heads: 4, not 2"}) {
      expected.push_back(attention + "." + difference);
    }
  }
  expected.push_back("model.activation: relu, not gelu");
  EXPECT_EQ(meaning_differences(config({"model.dropout=0.3", "model.heads=4"}),
                                config({"model.activation=gelu"})),
            expected);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

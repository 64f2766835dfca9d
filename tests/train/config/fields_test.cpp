// Every member of a config section has a row, and every row can be written in a config. The nearest
// name of an option.
#include <any>

#include "core/fields.hpp"
#include "tests/support/testing.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"

namespace tapehead { namespace {

template <class Section>
std::size_t rows() {
  Section section;
  std::set<const void*> addresses;
  section.fields([&](auto& member, const Field&, std::string_view) { addresses.insert(&member); });
  return addresses.size();
}

TEST(ConfigFields, each_member_has_its_row) {
  struct Sample {
    Index whole = 0;
    std::string text;
    std::optional<double> number;
    bool flag = false;
  };
  EXPECT_EQ(member_count<Sample>(), 4U);
  EXPECT_EQ(rows<ModelOptions>(), member_count<ModelOptions>());
  EXPECT_EQ(rows<TrainingOptions>(), member_count<TrainingOptions>());
  EXPECT_EQ(rows<EvaluationOptions>(), member_count<EvaluationOptions>());
  EXPECT_EQ(rows<RunOptions>(), member_count<RunOptions>());
}

struct Change {
  void operator()(bool* member) const { *member = !*member; }
  void operator()(Index* member) const { ++*member; }
  void operator()(double* member) const { ++*member; }
  void operator()(std::string* member) const { *member += 'x'; }
  void operator()(std::vector<std::string>* member) const { member->emplace_back("x"); }
  void operator()(const Choice& choice) const {
    choice.set((choice.get() + 1) % choice.names.size());
  }
  void operator()(const auto&) const { ADD_FAILURE() << "a task with options of other types"; }
};

std::vector<std::string> values_of(const std::vector<Row>& rows) {
  return mapped(rows, write_value);
}

// There are as many rows as members, and no two rows change the same member.
TEST(ConfigFields, each_member_of_a_tasks_options_has_its_row) {
  for (const TaskKind* kind : task_kinds()) {
    for (const OptionsType& type : kind->options) {
      std::any value = type.defaults();
      const std::vector<Row> rows = type.rows(value);
      ASSERT_EQ(rows.size(), type.members) << kind->name;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<std::string> expected = values_of(rows);
        std::visit(Change{}, rows[i].cell);
        EXPECT_NE(write_value(rows[i]), expected[i]) << rows[i].field.name;
        expected[i] = write_value(rows[i]);
        EXPECT_EQ(values_of(rows), expected) << rows[i].field.name;
      }
    }
  }
}

TEST(ConfigFields, each_section_and_the_seed_are_visited) {
  Config config;
  const auto names = mapped(sections(config), &Section::name);
  EXPECT_THAT(names, ElementsAre("", "task", "model", "attention", "encoder_self", "decoder_self",
                                 "cross", "training", "evaluation", "run"));
  EXPECT_EQ(sections(config).front().rows.size(), 1U);
}

TEST(ConfigFields, each_row_has_a_help_a_default_in_range_and_no_twin) {
  for (const auto& group : task_groups()) {
    Config config = config_for(*group.front());
    for (const Section& section : sections(config)) {
      std::set<std::string_view> names;
      for (const Row& row : section.rows) {
        SCOPED_TRACE(full_name(section.name, row.field.name));
        EXPECT_TRUE(names.insert(row.field.name).second) << "twice";
        EXPECT_FALSE(row.field.help.empty());
        const std::string text = write_value(row);
        EXPECT_NO_THROW(
            read_value(row, make_node(ConfigNode::Kind::scalar, {}, text == "\"\"" ? "" : text)));
      }
    }
  }
}

TEST(ConfigFields, tasks_with_the_same_options_are_one_group) {
  const auto names =
      mapped(task_groups(), [](const auto& group) { return mapped(group, &TaskKind::name); });
  EXPECT_THAT(names.front(),
              IsSupersetOf({"copy", "reverse", "sort", "previous_token", "induction"}));
  for (const std::string_view alone :
       {"two_offsets", "copy_distractors", "brackets", "recall", "few_shot", "bigrams", "repeated",
        "grammar_translation", "parallel_text"}) {
    EXPECT_THAT(names, Contains(ElementsAre(alone)));
  }
}

TEST(Nearest, edit_distance_counts_single_edits_and_swaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("heads", ""), 5);
  EXPECT_EQ(edit_distance("heads", "heads"), 0);
  EXPECT_EQ(edit_distance("hedas", "heads"), 1);
  EXPECT_EQ(edit_distance("head", "heads"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);  // textbook example of the Levenshtein distance
  EXPECT_EQ(edit_distance("ca", "abc"), 3);          // 2 if substrings were edited twice
}

TEST(Nearest, close_names_are_found_and_far_ones_are_not) {
  constexpr std::array<std::string_view, 6> names{"heads",         "d_head", "layers",
                                                  "learning_rate", "beta1",  "beta2"};
  EXPECT_EQ(nearest("hedas", names), "heads");
  EXPECT_EQ(nearest("Learning-Rate", names), "learning_rate");
  EXPECT_EQ(nearest("layer", names), "layers");
  EXPECT_EQ(nearest("beta", names), "beta1") << "the first of equals";
  for (const std::string_view far : {"lr", "width", ""}) {
    EXPECT_EQ(nearest(far, names), std::nullopt) << far;
  }
}

}}  // namespace tapehead

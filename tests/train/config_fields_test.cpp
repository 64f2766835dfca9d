// Every member of a config section has its row, and every row can be written in a config.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

#include "train/config/rows.hpp"
#include "train/config/values.hpp"

namespace tapehead {
namespace {

// What an option's member can be made from; an optional is made from its number.
struct AnyNumber {
  template <class Number>
    requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  operator Number() const;
};
struct AnyText {
  operator std::string() const;
};

// The members of an aggregate: as many initialisers as it can take.
template <class Aggregate, class... Known>
consteval std::size_t members() {
  if constexpr (requires { Aggregate{Known{}..., AnyNumber{}}; }) {
    return members<Aggregate, Known..., AnyNumber>();
  } else if constexpr (requires { Aggregate{Known{}..., AnyText{}}; }) {
    return members<Aggregate, Known..., AnyText>();
  } else {
    return sizeof...(Known);
  }
}

template <class Section>
std::size_t rows() {
  Section section;
  std::set<const void*> addresses;
  section.fields([&](const Field&, auto& member) { addresses.insert(&member); });
  return addresses.size();
}

struct Sample {
  Index whole = 0;
  std::string text;
  std::optional<double> number;
  bool flag = false;
};

TEST(ConfigFields, members_are_counted) { EXPECT_EQ((members<Sample>()), 4U); }

TEST(ConfigFields, each_member_has_its_row) {
  EXPECT_EQ(rows<ModelOptions>(), members<ModelOptions>());
  EXPECT_EQ(rows<TrainingOptions>(), members<TrainingOptions>());
  EXPECT_EQ(rows<EvaluationOptions>(), members<EvaluationOptions>());
  EXPECT_EQ(rows<RunOptions>(), members<RunOptions>());
  EXPECT_EQ(rows<SyntheticOptions>(), members<SyntheticOptions>());
  EXPECT_EQ(rows<TwoOffsetsOptions>(), members<TwoOffsetsOptions>());
  EXPECT_EQ(rows<DistractorOptions>(), members<DistractorOptions>());
  EXPECT_EQ(rows<BracketOptions>(), members<BracketOptions>());
  EXPECT_EQ(rows<RecallOptions>(), members<RecallOptions>());
  EXPECT_EQ(rows<GrammarOptions>(), members<GrammarOptions>());
  EXPECT_EQ(rows<ParallelTextOptions>(), members<ParallelTextOptions>());
}

TEST(ConfigFields, each_section_and_the_seed_are_visited) {
  Config config;
  std::vector<std::string_view> names;
  for (const Section& section : sections(config)) names.push_back(section.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"", "task", "model", "attention", "encoder_self",
                                                  "decoder_self", "cross", "training", "evaluation",
                                                  "run"}));
  EXPECT_EQ(sections(config).front().rows.size(), 1U);
}

TEST(ConfigFields, each_row_has_a_help_a_default_in_range_and_no_twin) {
  for (const std::vector<TaskName>& group : task_groups()) {
    Config config = config_for(group.front());
    for (const Section& section : sections(config)) {
      std::set<std::string_view> names;
      for (const Row& row : section.rows) {
        const std::string name = full_name(section.name, row.field.name);
        EXPECT_TRUE(names.insert(row.field.name).second) << name << " twice";
        EXPECT_FALSE(row.field.help.empty()) << name;
        std::string text = write_value(row);
        if (text == "\"\"") text.clear();
        EXPECT_NO_THROW(read_value(row, make_node(ConfigNode::Kind::scalar, {}, text))) << name;
      }
    }
  }
}

TEST(ConfigFields, tasks_with_the_same_options_are_one_group) {
  EXPECT_EQ(task_groups(),
            (std::vector<std::vector<TaskName>>{{TaskName::copy, TaskName::reverse, TaskName::sort,
                                                 TaskName::previous_token, TaskName::induction},
                                                {TaskName::two_offsets},
                                                {TaskName::copy_distractors},
                                                {TaskName::brackets},
                                                {TaskName::recall},
                                                {TaskName::grammar_translation},
                                                {TaskName::parallel_text}}));
}

}  // namespace
}  // namespace tapehead

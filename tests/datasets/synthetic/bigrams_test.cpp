// The task bigrams: within a sequence, a trigger is always followed by the same output; other
// characters are followed as in the text.
#include "datasets/synthetic/bigrams.hpp"
#include "core/text.hpp"
#include "datasets/make_task.hpp"
#include "datasets/text/text_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/synthetic_tasks.hpp"
#include "tests/support/task_option.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

const std::string bigrams_text = TAPEHEAD_FIXTURES "/text/train.en";

TaskOptions bigram_options(const std::string& choice = "frequent") {
  TaskOptions options = small_task("bigrams");
  for (const Row& row : rows_of(options)) {
    if (row.field.name == "text") {
      *std::get<std::string*>(row.cell) = bigrams_text;
    } else if (row.field.name == "trigger_choice") {
      std::get<Choice>(row.cell).set(choice == "drawn" ? 1 : 0);
    }
  }
  return options;
}

// Replaces "␣" and "↵" by a space and a line end.
std::string as_in_text(const std::string& entry) {
  return entry == "␣" ? " " : entry == "↵" ? "\n" : entry;
}

std::string whole_text() { return join(read_lines(bigrams_text), "\n") + "\n"; }

// The five most frequent one-byte characters.
std::set<std::string> most_frequent_characters() {
  std::map<char, int> counts;
  for (const char character : whole_text()) {
    ++counts[character];
  }
  std::set<std::string> found;
  while (found.size() < 5) {
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& counted) { return counted.second; });
    found.emplace(1, most->first);
    counts.erase(most);
  }
  return found;
}

TEST(Bigrams, have_the_pairs_of_the_text_but_after_triggers) {
  const Task task = make_task(bigram_options(), {.seed = 1});
  const std::string text = whole_text();
  const std::set<std::string> triggers = most_frequent_characters();
  std::set<std::map<std::string, std::string>> all_outputs;
  for_each_example(task, [&](const Split&, Index, const Example& example) {
    ASSERT_EQ(example.source.size(), 32U);
    ASSERT_EQ(example.target.size(), 32U);
    std::map<std::string, std::string> outputs;
    for (std::size_t i = 0; i < example.source.size(); ++i) {
      if (i + 1 < example.source.size()) {
        EXPECT_EQ(example.source[i + 1], example.target[i]);
      }
      const std::string here = as_in_text(task.source_tokenizer->entry(example.source[i]));
      const std::string next = as_in_text(task.target_tokenizer->entry(example.target[i]));
      if (triggers.contains(here)) {
        EXPECT_EQ(outputs.emplace(here, next).first->second, next);
      } else {
        EXPECT_NE((text + text.front()).find(here + next), std::string::npos) << here << next;
      }
    }
    all_outputs.insert(outputs);
  });
  EXPECT_GT(all_outputs.size(), 1000U);
}

void expect_answers(const std::string& choice) {
  const Task task = make_task(bigram_options(choice), {.seed = 1});
  Index answers = 0;
  for_each_example(task, [&](const Split& split, Index number, const Example& example) {
    const Relations relations = split.source->relations(number);
    EXPECT_EQ(pairs_of(relations, "previous", RelationSide::source).size(), 31U);
    for (const PositionPair& pair : pairs_of(relations, "answer", RelationSide::source)) {
      const auto query = static_cast<std::size_t>(pair.query);
      const auto key = static_cast<std::size_t>(pair.key);
      ASSERT_LE(key, query);
      EXPECT_EQ(example.source[key - 1], example.source[query]);
      EXPECT_EQ(example.source[key], example.target[query]) << "the answer stands there";
      ++answers;
    }
  });
  EXPECT_GT(answers, 10000);
}

TEST(Bigrams, know_where_the_answers_stand) { expect_answers("frequent"); }
TEST(Bigrams, know_where_the_answers_to_drawn_triggers_stand) { expect_answers("drawn"); }

// Drawn triggers give more than five different characters over all sequences.
TEST(Bigrams, draw_triggers_for_each_sequence) {
  for (const std::string choice : {"frequent", "drawn"}) {
    const Task task = make_task(bigram_options(choice), {.seed = 1});
    std::set<TokenId> triggers;
    for_each_example(task, [&](const Split& split, Index number, const Example& example) {
      for (const PositionPair& pair :
           pairs_of(split.source->relations(number), "answer", RelationSide::source)) {
        triggers.insert(example.source[static_cast<std::size_t>(pair.query)]);
      }
    });
    if (choice == "drawn") {
      EXPECT_GT(triggers.size(), 10U);
    } else {
      EXPECT_EQ(triggers.size(), 5U);
    }
  }
}

// Unicode's symbols for tab and carriage return are U+2409 and U+240D.
TEST(Bigrams, write_white_space_so_that_it_can_be_typed) {
  EXPECT_THAT(statistics_of("b \ta\r\n").characters, ElementsAre("␉", "↵", "␍", "␣", "a", "b"));
}

TEST(Bigrams, refuse_more_triggers_than_characters_and_no_file) {
  TaskOptions options = bigram_options();
  for (const Row& row : rows_of(options)) {
    if (row.field.name == "triggers") {
      *std::get<Index*>(row.cell) = 500;
    }
  }
  EXPECT_THAT(message_of<DataError>([&] { make_task(options, {.seed = 1}); }),
              HasSubstr("task.triggers: there are more triggers than characters (500; "));
  for (const Row& row : rows_of(options)) {
    if (row.field.name == "text") {
      *std::get<std::string*>(row.cell) = "nowhere.txt";
    }
  }
  EXPECT_THAT(message_of<IoError>([&] { make_task(options, {.seed = 1}); }),
              HasSubstr("task.text"));
}

}}  // namespace tapehead

// The task bigrams: within a sequence, a trigger is always followed by the same output; other
// characters are followed as in the text.
#include "datasets/synthetic/bigrams.hpp"
#include "core/text.hpp"
#include "datasets/make_task.hpp"
#include "datasets/text/text_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/synthetic_tasks.hpp"

namespace tapehead { namespace {

const std::string bigrams_text = TAPEHEAD_FIXTURES "/text/train.en";

TaskOptions bigram_options(const std::string& choice = "frequent") {
  TaskOptions options = small_task("bigrams");
  task_option<std::string>(options, "text") = bigrams_text;
  for (const Row& row : rows_of(options)) {
    if (row.field.name == "trigger_choice") {
      std::get<Choice>(row.cell).set(choice == "drawn" ? 1 : 0);
    }
  }
  return options;
}

// Replaces "␣" and "↵" by a space and a line end.
std::string as_in_text(const std::string& entry) {
  return entry == "␣" ? " " : entry == "↵" ? "\n" : entry;
}

// The five most frequent one-byte characters.
std::set<std::string> most_frequent_characters(const std::string& text) {
  const std::set<char> all(text.begin(), text.end());
  std::vector<char> by_count(all.begin(), all.end());
  std::ranges::stable_sort(by_count, std::greater(),
                           [&](char character) { return std::ranges::count(text, character); });
  std::set<std::string> found;
  for (std::size_t i = 0; i < 5; ++i) {
    found.emplace(1, by_count[i]);
  }
  return found;
}

TEST(Bigrams, have_the_pairs_of_the_text_but_after_triggers) {
  const Task task = make_task(bigram_options(), {.seed = 1});
  const std::string text = join(read_lines(bigrams_text), "\n") + "\n";
  const std::set<std::string> triggers = most_frequent_characters(text);
  std::set<std::map<std::string, std::string>> all_outputs;
  for_each_example(task, [&](const Split&, Index, const Example& example) {
    ASSERT_EQ(example.source.size(), 32U);
    ASSERT_EQ(example.target.size(), 32U);
    EXPECT_TRUE(
        std::equal(example.source.begin() + 1, example.source.end(), example.target.begin()));
    std::map<std::string, std::string> outputs;
    for (std::size_t i = 0; i < example.source.size(); ++i) {
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

// Triggers that are drawn for each sequence give more than five different characters.
TEST(Bigrams, know_where_the_answers_to_frequent_and_to_drawn_triggers_stand) {
  for (const std::string choice : {"frequent", "drawn"}) {
    const Task task = make_task(bigram_options(choice), {.seed = 1});
    std::set<TokenId> triggers;
    Index answers = 0;
    for_each_example(task, [&](const Split& split, Index number, const Example& example) {
      const Relations relations = split.source->relations(number);
      EXPECT_EQ(pairs_of(relations, "previous", RelationSide::source).size(), 31U);
      for (const auto& [query, key] : pairs_of(relations, "answer", RelationSide::source)) {
        ASSERT_LE(key, query);
        EXPECT_EQ(token_at(example.source, key - 1), token_at(example.source, query));
        EXPECT_EQ(token_at(example.source, key), token_at(example.target, query))
            << "the answer stands there";
        triggers.insert(token_at(example.source, query));
        ++answers;
      }
    });
    EXPECT_GT(answers, 10000);
    EXPECT_TRUE(choice == "drawn" ? triggers.size() > 10 : triggers.size() == 5) << triggers.size();
  }
}

TEST(Bigrams, refuse_more_triggers_than_characters_and_no_file) {
  TaskOptions options = bigram_options();
  task_option(options, "triggers") = 500;
  EXPECT_THAT([&] { make_task(options, {.seed = 1}); },
              throws<DataError>("task.triggers: there are more triggers than characters (500; "));
  task_option<std::string>(options, "text") = "nowhere.txt";
  EXPECT_THAT([&] { make_task(options, {.seed = 1}); }, throws<IoError>("task.text"));
  // White space is written so that it can be typed: for tab and carriage return as U+2409 and
  // U+240D.
  EXPECT_THAT(statistics_of("b \ta\r\n").characters, ElementsAre("␉", "↵", "␍", "␣", "a", "b"));
}

}}  // namespace tapehead

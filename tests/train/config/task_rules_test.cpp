// Contradicting options of a task are rejected, at the place of the option to change.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(TaskRules, lengths_are_in_order) {
  EXPECT_EQ(config_error("task: {min_length: 11}"),
            "a.yaml:1:20: task.min_length: longer than task.max_length (11, 10)");
  EXPECT_EQ(config_error("task: {min_length: 10}"), "accepted");
}

TEST(TaskRules, the_longer_split_is_whole_and_longer) {
  EXPECT_THAT(config_error("task: {longer_max_length: 20}"),
              StartsWith("a.yaml:1:27: task.longer_max_length: lengths for the split `longer`"));
  EXPECT_THAT(config_error("task: {longer_examples: 5}"),
              StartsWith("a.yaml:1:25: task.longer_examples: the split `longer` must begin"));
  EXPECT_THAT(
      config_error("task: {longer_examples: 5, longer_min_length: 10, longer_max_length: 20}"),
      StartsWith("a.yaml:1:47: task.longer_min_length: the split `longer` must begin"));
  EXPECT_EQ(
      config_error("task: {longer_examples: 5, longer_min_length: 21, longer_max_length: 20}"),
      "a.yaml:1:70: task.longer_max_length: shorter than task.longer_min_length (20, 21)");
  EXPECT_EQ(
      config_error("task: {longer_examples: 5, longer_min_length: 11, longer_max_length: 11}"),
      "accepted");
}

TEST(TaskRules, further_tests_have_their_files_and_a_name_of_their_own) {
  const std::string task = "task: {name: parallel_text, train_tsv: a, validation_tsv: b, ";
  const std::string test = task + "test_tsv: c, ";
  EXPECT_EQ(config_error(test + "further_tests: [x, y], further_sources: [s, t], further_targets: "
                                "[u, v], further_types: [w, '']}"),
            "accepted");
  EXPECT_THAT(config_error(test + "further_tests: [x, y], further_sources: [s], further_targets: "
                                  "[u, v]}"),
              HasSubstr("task.further_sources: 1 files in task.further_sources for 2 names in "
                        "task.further_tests"));
  EXPECT_THAT(config_error(test + "further_sources: [s]}"),
              HasSubstr("1 files in task.further_sources for 0 names"));
  EXPECT_THAT(config_error(test + "further_tests: x, further_sources: s}"),
              HasSubstr("0 files in task.further_targets for 1 names"));
  const std::string files = ", further_sources: s, further_targets: t}";
  EXPECT_THAT(config_error(test + "further_types: [v, w], further_tests: x" + files),
              HasSubstr("2 files in task.further_types for 1 names"));
  EXPECT_THAT(config_error(task + "further_tests: x" + files),
              HasSubstr("task.further_tests: further test splits need a test split"));
  for (const std::string name : {"train", "validation", "test", "whole"}) {
    EXPECT_THAT(config_error(test + "further_tests: " + name + files),
                HasSubstr("task.further_tests: there is a split named " + name + " already"));
  }
  EXPECT_THAT(config_error(test + "further_tests: 'a b'" + files),
              HasSubstr("letters, digits, _ and - alone (a b)"));
  EXPECT_THAT(config_error(test + "further_tests: x, further_sources: '', further_targets: t}"),
              HasSubstr("task.further_sources: no file for the split x"));
}

TEST(TaskRules, types_are_of_a_split_and_groups_of_types) {
  const std::string task = "task: {name: parallel_text, train_tsv: a, validation_tsv: b, ";
  EXPECT_THAT(config_error(task + "test_types: t}"),
              HasSubstr("task.test_types: there is no test split"));
  EXPECT_THAT(config_error(task + "type_groups: a = b}"),
              HasSubstr("task.type_groups: no split has types"));
  const std::string types = task + "validation_types: t, type_groups: ";
  EXPECT_EQ(config_error(types + "[a = b c, d = b]}"), "accepted");
  EXPECT_THAT(config_error(types + "[a = b c, a = b]}"),
              HasSubstr("task.type_groups: two groups are named a"));
  for (const std::string group : {"a", "a =", "a b = c", "= b"}) {
    EXPECT_THAT(
        config_error(types + "['" + group + "']}"),
        HasSubstr("task.type_groups: expected a name, an equals sign and types, as in: hard "
                  "= recursion passive (" +
                  group + ")"));
  }
}

TEST(TaskRules, two_offsets_are_two_and_within_the_source) {
  const std::string head = "task:\n  name: two_offsets\n";
  EXPECT_EQ(config_error(head + "  min_length: 7\n"), "accepted");
  EXPECT_EQ(config_error(head),
            "a.yaml:2:9: task.name: too short for the offsets of two_offsets (1; allowed: 7 or "
            "more)");
  EXPECT_EQ(config_error(head + "  min_length: 4\n  second_offset: 5\n"),
            "a.yaml:3:15: task.min_length: too short for the offsets of two_offsets (4; allowed: 6 "
            "or more)");
  EXPECT_EQ(config_error(head + "  min_length: 7\n  first_offset: 6\n"),
            "a.yaml:4:17: task.first_offset: the same as task.first_offset (6, 6): there would be "
            "no difference");
}

TEST(TaskRules, induction_has_room_for_a_question) {
  const std::string head = "task:\n  name: induction\n";
  EXPECT_EQ(config_error(head + "  min_length: 3\n  vocabulary: 3\n"), "accepted");
  EXPECT_EQ(config_error(head + "  min_length: 2\n"),
            "a.yaml:3:15: task.min_length: too short for `A B A`, the shortest source of induction "
            "(2; allowed: 3 or more)");
  EXPECT_EQ(config_error(head + "  min_length: 3\n  vocabulary: 2\n"),
            "a.yaml:4:15: task.vocabulary: with so few symbols the answer of induction is always "
            "the same (2; allowed: 3 or more)");
}

TEST(TaskRules, every_split_of_modular_arithmetic_has_a_pair) {
  // Validation gets a fifth of the pairs outside of training, rounded down.
  EXPECT_EQ(config_error("task: {name: modular_arithmetic, modulus: 2}"),
            "a.yaml:1:43: task.modulus: of the 4 pairs 2 would be for training, 0 for validation "
            "and 2 for the test");
  EXPECT_EQ(config_error("task: {name: modular_arithmetic, modulus: 4}"), "accepted");
}

TEST(TaskRules, pairs_and_gaps_are_in_order_and_facts_have_keys) {
  EXPECT_EQ(config_error("task: {name: brackets, min_pairs: 9}"),
            "a.yaml:1:35: task.min_pairs: more than task.max_pairs (9, 8)");
  EXPECT_EQ(config_error("task: {name: recall, min_gap: 17}"),
            "a.yaml:1:31: task.min_gap: more than task.max_gap (17, 16)");
  EXPECT_EQ(config_error("task: {name: recall, facts: 17}"),
            "a.yaml:1:29: task.facts: more facts than there are keys (17, task.vocabulary 16)");
  EXPECT_EQ(config_error("task: {name: recall, facts: 16, min_gap: 16}"), "accepted");
}

TEST(TaskRules, shots_have_keys) {
  EXPECT_EQ(config_error("task: {name: few_shot, keys: 7}"),
            "a.yaml:1:30: task.keys: more shots than there are keys (8, task.keys 7)");
  EXPECT_EQ(config_error("task: {name: few_shot, keys: 7, shots: 7}"), "accepted");
}

TEST(TaskRules, sequences_begin_again) {
  EXPECT_EQ(config_error("task: {name: repeated, min_period: 30}"),
            "a.yaml:1:36: task.min_period: more than task.max_period (30, 24)");
  EXPECT_EQ(config_error("task: {name: repeated, vocabulary: 23}"),
            "a.yaml:1:36: task.vocabulary: a period has different symbols, but there are fewer "
            "(24, task.vocabulary 23)");
  EXPECT_EQ(config_error("task: {name: repeated, length: 24}"),
            "a.yaml:1:32: task.length: as long as a sequence, which would not begin again (24, "
            "task.length 24)");
  EXPECT_EQ(config_error("task: {name: repeated, length: 25}"), "accepted");
}

TEST(TaskRules, longer_stories_are_longer) {
  const auto error = [](const std::string& options) {
    return config_error("task: {name: story_questions, " + options + "}");
  };
  EXPECT_EQ(error("min_sentences: 10"),
            "a.yaml:1:46: task.min_sentences: more than task.max_sentences (10, 9)");
  EXPECT_EQ(
      error("max_sentences: 10"),
      "a.yaml:1:46: task.max_sentences: the split `longer` must begin beyond task.max_sentences "
      "(10, 10)");
  EXPECT_EQ(error("longer_max_sentences: 9"),
            "a.yaml:1:53: task.longer_max_sentences: fewer than task.longer_min_sentences (9, 10)");
  EXPECT_EQ(error("max_sentences: 10, longer_min_sentences: 11"), "accepted");
}

TEST(TaskRules, text_has_its_files_once) {
  const std::string head = "task:\n  name: parallel_text\n";
  const std::string train = "  train_source: a\n  train_target: b\n";
  const std::string validation = "  validation_tsv: c\n";
  EXPECT_EQ(config_error(head + train + validation), "accepted");
  EXPECT_EQ(config_error(head + validation),
            "a.yaml:2:9: task.name: parallel_text needs training text: task.train_source and "
            "task.train_target, or task.train_tsv");
  EXPECT_THAT(config_error("seed: 1", {"task.name=parallel_text"}),
              StartsWith("--set task.name=parallel_text: parallel_text needs training text"));
  EXPECT_THAT(config_error(head + train), StartsWith("a.yaml:2:9: task.name: parallel_text needs "
                                                     "validation text"));
  EXPECT_EQ(
      config_error(head + "  train_source: a\n" + validation),
      "a.yaml:3:17: task.train_source: given alone; the training text needs task.train_target too");
  EXPECT_EQ(config_error(head + train + validation + "  test_target: d\n"),
            "a.yaml:6:16: task.test_target: given alone; the test text needs task.test_source too");
  EXPECT_EQ(config_error(head + train + "  train_tsv: t\n" + validation),
            "a.yaml:5:14: task.train_tsv: the training text is given twice, as two files and as a "
            "TSV; keep one");
}

TEST(TaskRules, a_header_is_that_of_a_tsv) {
  const auto error = [](const std::string& task) {
    return config_error("task: {" + task + "}\nmodel: {family: encoder}");
  };
  for (const std::string header : {"header: true", "header: false"}) {
    EXPECT_THAT(error("name: labelled_text, train_text: a, train_labels: b, " + header),
                HasSubstr("task.header: has no effect, since no split is a TSV"));
    EXPECT_EQ(error("name: labelled_text, train_text: a, train_labels: b, test_tsv: c, " + header),
              "accepted");
  }
  const std::string files =
      "task: {name: parallel_text, train_source: a, train_target: b, "
      "validation_source: a, validation_target: b, header: false";
  EXPECT_THAT(config_error(files + "}"), HasSubstr("task.header: has no effect"));
  EXPECT_EQ(config_error(files + ", test_tsv: c}"), "accepted");
}

TEST(TaskRules, a_vocabulary_suits_its_tokenizer) {
  const std::string decoder = "model: {family: decoder}";
  for (const auto& [task, model] :
       {std::pair{"name: parallel_text, train_tsv: a, validation_tsv: b", ""},
        std::pair{"name: text, train_text: a", decoder.c_str()},
        std::pair{"name: labelled_text, train_tsv: a", decoder.c_str()}}) {
    const auto error = [&](const std::string& options) {
      return config_error(fmt::format("task: {{{}, {}}}\n{}", task, options, model));
    };
    EXPECT_THAT(error("tokenizer: byte_bpe, vocabulary: 258"),
                HasSubstr("task.vocabulary: the three marks and the 256 bytes of byte_bpe need 259 "
                          "entries"));
    EXPECT_EQ(error("tokenizer: byte_bpe, vocabulary: 259"), "accepted");
  }
}

TEST(TaskRules, labelled_text_has_its_files_once_and_whole) {
  const auto error = [](const std::string& options) {
    return config_error("task: {name: labelled_text, " + options + "}\nmodel: {family: encoder}");
  };
  EXPECT_THAT(error("texts: 1"), HasSubstr("labelled_text needs examples to train on"));
  EXPECT_THAT(error("train_tsv: a, train_text: b, train_labels: c"),
              HasSubstr("task.train_tsv: the train examples are given twice"));
  EXPECT_THAT(error("train_tsv: a, validation_text: b, validation_labels: c, "
                    "validation_share: 0.2"),
              HasSubstr("task.validation_share: has no effect beside task.validation_text"));
  EXPECT_THAT(error("train_text: b"),
              HasSubstr("task.train_text: given alone; the train examples need "
                        "task.train_labels too"));
}

}}  // namespace tapehead

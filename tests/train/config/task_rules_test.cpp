// Contradicting options of a task are rejected, at the place of the option to change.
#include "tests/support/config_error.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(TaskRules, of_synthetic_tasks) {
  const std::string longer = "task: {longer_examples: 5, longer_min_length: ";
  const std::string offsets = "task:\n  name: two_offsets\n";
  const std::string story = "task: {name: story_questions, ";
  const std::string induction = "task:\n  name: induction\n";
  expect_config_errors({
      {"task: {min_length: 11}", "1:20: task.min_length", "longer than task.max_length (11, 10)"},
      {"task: {min_length: 10}", "accepted"},

      // The split `longer` is whole and longer.
      {"task: {longer_max_length: 20}", "1:27: task.longer_max_length", "the split `longer`"},
      {"task: {longer_examples: 5}", "1:25: task.longer_examples", "`longer` must begin"},
      {longer + "10, longer_max_length: 20}", "1:47: task.longer_min_length", "must begin"},
      {longer + "21, longer_max_length: 20}", "1:70: task.longer_max_length", "(20, 21)"},
      {longer + "11, longer_max_length: 11}", "accepted"},

      // Two offsets are two, and within the source.
      {offsets + "  min_length: 7\n", "accepted"},
      {offsets, "2:9: task.name", "offsets of two_offsets (1; allowed: 7 or more)"},
      {offsets + "  min_length: 4\n  second_offset: 5\n", "3:15: task.min_length",
       "(4; allowed: 6 or more)"},
      {offsets + "  min_length: 7\n  first_offset: 6\n", "4:17: task.first_offset",
       "the two offsets are both 6"},

      // The shortest source of induction is `A B A`; the answer is one of two symbols or more.
      {induction + "  min_length: 3\n  vocabulary: 3\n", "accepted"},
      {induction + "  min_length: 2\n", "3:15: task.min_length", "(2; allowed: 3 or more)"},
      {induction + "  min_length: 3\n  vocabulary: 2\n", "4:15: task.vocabulary",
       "(2; allowed: 3 or more)"},

      {"task: {name: brackets, min_pairs: 9}", "1:35: task.min_pairs", "task.max_pairs (9, 8)"},
      {"task: {name: recall, min_gap: 17}", "1:31: task.min_gap", "task.max_gap (17, 16)"},
      {"task: {name: recall, facts: 17}", "1:29: task.facts", "(17, task.vocabulary 16)"},
      {"task: {name: recall, facts: 16, min_gap: 16}", "accepted"},
      {"task: {name: few_shot, keys: 7}", "1:30: task.keys", "keys (8, task.keys 7)"},
      {"task: {name: few_shot, keys: 7, shots: 7}", "accepted"},

      // Sequences begin again.
      {"task: {name: repeated, min_period: 30}", "1:36: task.min_period", "max_period (30, 24)"},
      {"task: {name: repeated, vocabulary: 23}", "1:36: task.vocabulary",
       "more different symbols than there are (24, task.vocabulary 23)"},
      {"task: {name: repeated, length: 24}", "1:32: task.length", "(24, task.length 24)"},
      {"task: {name: repeated, length: 25}", "accepted"},

      // Longer stories are longer.
      {story + "min_sentences: 10}", "1:46: task.min_sentences", "task.max_sentences (10, 9)"},
      {story + "max_sentences: 10}", "1:46: task.max_sentences", "task.max_sentences (10, 10)"},
      {story + "longer_max_sentences: 9}", "1:53: task.longer_max_sentences", "(9, 10)"},
      {story + "max_sentences: 10, longer_min_sentences: 11}", "accepted"},
  });
}

// Validation gets a fifth of the pairs outside of training, rounded down.
TEST(TaskRules, every_split_of_modular_arithmetic_has_a_pair) {
  expect_config_errors({
      {"task: {name: modular_arithmetic, modulus: 2}", "1:43: task.modulus",
       "of the 4 pairs 2 would be for training, 0 for validation and 2 for the test"},
      {"task: {name: modular_arithmetic, modulus: 4}", "accepted"},
  });
}

TEST(TaskRules, of_pairs_of_texts) {
  const std::string head = "task:\n  name: parallel_text\n";
  const std::string train = "  train_source: a\n  train_target: b\n";
  const std::string valid = "  validation_tsv: c\n";
  const std::string task = "task: {name: parallel_text, train_tsv: a, validation_tsv: b, ";
  const std::string test = task + "test_tsv: c, ";
  const std::string files = ", further_sources: s, further_targets: t}";
  const std::string types = task + "validation_types: t, type_groups: ";
  std::vector<ConfigCase> cases{
      // A split has its files once: two, or a TSV.
      {head + train + valid, "accepted"},
      {head + valid, "2:9: task.name", "training text: task.train_source and task.train_target"},
      {"seed: 1", "--set task.name=parallel_text", "training text"},
      {head + train, "2:9: task.name", "needs validation text"},
      {head + "  train_source: a\n" + valid, "3:17: task.train_source", "needs task.train_target"},
      {head + train + valid + "  test_target: d\n", "6:16: task.test_target", "task.test_source"},
      {head + train + "  train_tsv: t\n" + valid, "5:14: task.train_tsv", "given twice"},

      // Further tests have their files and a name of their own.
      {test + "further_tests: [x, y], further_sources: [s, t], further_targets: [u, v], "
              "further_types: [w, '']}",
       "accepted"},
      {test + "further_tests: [x, y], further_sources: [s], further_targets: [u, v]}",
       "task.further_sources", "1 files in task.further_sources for 2 names in task.further_tests"},
      {test + "further_sources: [s]}", "task.further_sources", "for 0 names"},
      {test + "further_tests: x, further_sources: s}", "task.further_tests",
       "0 files in task.further_targets for 1 names"},
      {test + "further_types: [v, w], further_tests: x" + files, "task.further_types",
       "2 files in task.further_types for 1 names"},
      {task + "further_tests: x" + files, "task.further_tests", "need a test split"},
      {test + "further_tests: 'a b'" + files, "task.further_tests",
       "only letters, digits, _ and - (a b)"},
      {test + "further_tests: x, further_sources: '', further_targets: t}", "task.further_sources",
       "no file for the split x"},

      // Types are those of a split, and groups consist of types.
      {task + "test_types: t}", "task.test_types", "there is no test split"},
      {task + "type_groups: a = b}", "task.type_groups", "no split has types"},
      {types + "[a = b c, d = b]}", "accepted"},
      {types + "[a = b c, a = b]}", "task.type_groups", "two groups are named a"},
  };
  for (const std::string name : {"train", "validation", "test", "whole"}) {
    cases.push_back({test + "further_tests: " + name + files, "task.further_tests",
                     "there is already a split named " + name});
  }
  for (const std::string group : {"a", "a =", "a b = c", "= b"}) {
    cases.push_back(
        {types + "['" + group + "']}", "task.type_groups",
         "expected a name, an equals sign and types, as in: hard = recursion passive (" + group +
             ")"});
  }
  expect_config_errors(cases);
}

TEST(TaskRules, of_labelled_texts) {
  const std::string task = "task: {name: labelled_text, ";
  const std::string model = "}\nmodel: {family: encoder}";
  expect_config_errors({
      {task + "texts: 1" + model, "task.name", "labelled_text needs examples to train on"},
      {task + "train_tsv: a, train_text: b, train_labels: c" + model, "task.train_tsv",
       "the train examples are given twice"},
      {task + "train_tsv: a, validation_text: b, validation_labels: c, validation_share: 0.2" +
           model,
       "task.validation_share", "has no effect beside task.validation_text"},
      {task + "train_text: b" + model, "task.train_text", "given alone; the train examples need"},
  });
}

TEST(TaskRules, a_header_is_that_of_a_tsv) {
  const std::string files =
      "task: {name: parallel_text, train_source: a, train_target: b, validation_source: a, "
      "validation_target: b, header: false";
  const std::string labelled =
      "task: {name: labelled_text, train_text: a, train_labels: b, header: ";
  const std::string model = "}\nmodel: {family: encoder}";
  expect_config_errors({
      {labelled + "true" + model, "task.header", "has no effect, since no split is a TSV"},
      {labelled + "false" + model, "task.header", "has no effect, since no split is a TSV"},
      {labelled + "true, test_tsv: c" + model, "accepted"},
      {labelled + "false, test_tsv: c" + model, "accepted"},
      {files + "}", "task.header", "has no effect"},
      {files + ", test_tsv: c}", "accepted"},
  });
}

TEST(TaskRules, a_vocabulary_suits_its_tokenizer) {
  for (const std::string task :
       {"name: parallel_text, train_tsv: a, validation_tsv: b", "name: text, train_text: a",
        "name: labelled_text, train_tsv: a"}) {
    const std::string model = task.starts_with("name: parallel") ? "" : "model: {family: decoder}";
    const std::string text = "task: {" + task + ", tokenizer: byte_bpe, vocabulary: ";
    expect_config_errors({
        {text + "258}\n" + model, "task.vocabulary", "bytes of byte_bpe need 259 entries"},
        {text + "259}\n" + model, "accepted"},
    });
  }
}

}}  // namespace tapehead

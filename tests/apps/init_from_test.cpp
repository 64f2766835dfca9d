// Starts from the weights of another run, whose rows are matched by their texts with another
// vocabulary; and weights that stay as they start (training.freeze).
#include "core/files/tensor_file.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Runs that translate a corpus into itself; all but a few start from `first`, trained on `one`.
class InitFrom : public SharedRuns<InitFrom> {
 public:
  static void prepare() {
    write_corpus("one", {"ab", "cd", "ef", "gh", "ij"});
    write_corpus("two", {"kl", "ef", "cd", "mn", "ab", "op", "qr"});
    write_corpus("swapped", {"ij", "gh", "ef", "cd", "xy"});
    write_corpus("capitals", {"AB", "CD", "EF", "GH", "IJ"});
    here->output(training("first", "one"));
  }

 protected:
  // Lines of 1 to 5 of the words.
  static void write_corpus(const std::string& name, const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::size_t j = 0; j <= i % 5; ++j) {
        text += (j > 0 ? " " : "") + words[(i + j * 3) % words.size()];
      }
      text += '\n';
    }
    here->write(name, text);
  }
  static Arguments training(const std::string& run, const std::string& corpus,
                            const Arguments& overrides = {}, const Arguments& options = {}) {
    here->write("a.yaml",
                fmt::format("task: {{name: parallel_text, tokenizer: word, vocabulary: 100,\n"
                            "  train_source: {0}, train_target: {0},\n"
                            "  validation_source: {0}, validation_target: {0}}}\n"
                            "model: {{d_model: 16, layers: 1}}\n"
                            "training: {{steps: 5, batch_tokens: 100, learning_rate: 0}}\n"
                            "run: {{report: false}}\n",
                            corpus));
    Arguments arguments{"train", "a.yaml", "--run", run};
    set_options(arguments, overrides);
    return arguments + options;
  }
  // What is said at the start from `first`.
  static std::string start(const std::string& corpus, const Arguments& overrides = {},
                           int exit_code = 0) {
    fs::remove_all(*here / "next");
    const Arguments from{"model.init_from=first", "seed=2"};
    const std::string errors = here->refusal(exit_code, training("next", corpus, from + overrides));
    EXPECT_EQ(fs::exists(*here / "next"), exit_code == 0);
    return errors;
  }
  static std::vector<float> table(const std::string& run, const std::string& name) {
    const TensorFile file(*here / run / "checkpoints/best.safetensors");
    std::vector<float> numbers(file.bytes(name).size() / sizeof(float));
    copy_values(file.entry(name), std::span(numbers));
    return numbers;
  }
  // The rows of a table by their entries.
  static std::map<std::string, std::vector<float>> rows(const std::string& run,
                                                        const std::string& name) {
    const std::vector<float> numbers = table(run, name);
    const auto entries = load_tokenizers(*here / run).source;
    const Index width = std::ssize(numbers) / entries->size();
    std::map<std::string, std::vector<float>> all;
    for (Index i = 0; i < entries->size(); ++i) {
      const auto begin = numbers.begin() + width * i;
      all[entries->entry(static_cast<TokenId>(i))].assign(begin, begin + width);
    }
    return all;
  }
};

TEST_F(InitFrom, another_precision_of_products_is_said) {
  EXPECT_THAT(start("one", {"training.precision=bfloat16"}),
              HasSubstr("its training multiplied in float32, this one does in bfloat16"));
  EXPECT_THAT(start("one"), Not(HasSubstr("multiplied")));
}

// Marks, ab, cd and ef are entries of both. Their rows do not change with a learning rate of 0.
TEST_F(InitFrom, rows_of_the_same_entries_are_taken_over) {
  struct Case {
    Arguments options;
    std::vector<std::string> tables;
    std::string rate = "0";
  };
  for (const auto& [options, tables, rate] : std::vector<Case>{
           {{}, {"source.embedding", "target.embedding", "output.weight"}},
           // Biases begin as zeros, so those of the first run are trained.
           {{"model.bias_output=true"}, {"output.bias"}, "0.01"},
           {{"model.tie_embeddings=all", "task.joint_vocabulary=true"}, {"target.embedding"}}}) {
    here->output(training("from", "one", options + Arguments{"training.learning_rate=" + rate},
                          {"--overwrite"}));
    here->output(training("to", "two", options + Arguments{"model.init_from=from", "seed=2"},
                          {"--overwrite"}));
    for (const std::string& name : tables) {
      const auto theirs = rows("from", name);
      int equal = 0;
      for (const auto& [entry, row] : rows("to", name)) {
        if (const auto same = theirs.find(entry); same != theirs.end()) {
          EXPECT_EQ(row, same->second) << name << " of " << entry;
          ++equal;
        }
      }
      EXPECT_EQ(equal, 3 + 3) << name;
    }
    EXPECT_EQ(table("to", "encoder.layers.0.self.query.weight"),
              table("from", "encoder.layers.0.self.query.weight"));
    if (rate != "0") {
      EXPECT_THAT(table("from", "output.bias"), Not(Contains(0))) << "equal ones were taken over";
    }
  }
}

TEST_F(InitFrom, says_what_the_vocabularies_have_in_common) {
  EXPECT_THAT(start("two"),
              AllOf(HasSubstr("starting from the weights of first\n"),
                    HasSubstr("source vocabulary differs: 3 of 7 entries are in both"),
                    HasSubstr("target vocabulary differs: 3 of 7 entries are in both")));
  // Equally many entries, in tables of equal shapes.
  EXPECT_THAT(start("swapped"), HasSubstr("4 of 5 entries are in both"));
  EXPECT_THAT(start("one"), AllOf(HasSubstr("starting from the weights of first\n"),
                                  Not(HasSubstr("vocabulary differs"))));
  EXPECT_THAT(start("capitals", {}, 1),
              HasSubstr("it has none of the 5 entries of the source vocabulary"));
}

// The shapes may be equal, but the numbers would have another meaning.
TEST_F(InitFrom, options_that_change_the_meaning_of_weights_are_named) {
  const std::string positions = ".positions: none, not alibi";
  for (const auto& [overrides, difference] : std::vector<std::pair<Arguments, std::string>>{
           {{"model.activation=gelu"}, "model.activation: relu, not gelu"},
           {{"model.heads=2"}, "cross.heads: 4, not 2 and 9 more)"},
           {{"attention.pattern=window 2"}, "encoder_self.pattern: full, not window 2"},
           {{"cross.positions=none", "attention.positions=alibi"},
            "(decoder_self" + positions + "; encoder_self" + positions + ")"}}) {
    EXPECT_THAT(
        start("one", overrides, 1),
        AllOf(HasSubstr("the weights of first: its model differs ("), HasSubstr(difference)));
  }
  start("one", {"model.dropout=0.3", "attention.head_dropout=0.1"});
}

// A run's tokenizer was replaced by another of the same size: checkpoints must reject it.
TEST_F(InitFrom, a_checkpoint_of_another_tokenizer_is_refused) {
  for (const std::string corpus : {"one", "swapped"}) {
    here->output(training("apart_" + corpus, corpus, {"task.joint_vocabulary=false"}));
  }
  fs::copy_file(*here / "apart_swapped/source.vocabulary", *here / "apart_one/source.vocabulary",
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(
      here->refusal(1, "evaluate apart_one --split validation"),
      AllOf(HasSubstr("best.safetensors comes from another"), HasSubstr("source tokenizer")));
}

TEST_F(InitFrom, without_a_best_the_last_weights_are_a_start) {
  here->output(tiny_training("bare"));
  fs::remove(*here / "bare/checkpoints/best.safetensors");
  here->output(tiny_training("from_last", {"model.init_from=bare"}));
  for (const std::string& file : checkpoint_names(*here / "bare")) {
    fs::remove(*here / "bare/checkpoints" / file);
  }
  EXPECT_THAT(here->refusal(1, tiny_training("b", {"model.init_from=bare"})),
              HasSubstr("run bare has no weights to start from"));
}

// The learning rate must not depend on the last step, which the resume changes.
const Arguments frozen_options{
    "training.freeze=[source.embedding, \"*.self.value.*\", decoder.layers.0.*]",
    "training.optimizer=adamw", "training.weight_decay=0.1", "training.checkpoint_keep=all",
    "training.schedule=constant"};

bool same_bytes(const TensorFile& one, const TensorFile& other, const std::string& name) {
  return std::ranges::equal(one.entry(name).bytes, other.entry(name).bytes);
}

TEST(Freeze, keeps_weights_as_they_start_and_nothing_else) {
  const ProgramDirectory here;
  const ProgramResult result = here.run(tiny_training("a", frozen_options));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output + result.errors, HasSubstr(" trained\n"));
  here.output(tiny_training("cut", frozen_options + Arguments{"training.steps=20"}));
  here.output(resumed_training("cut", {"training.steps=40"}));
  const TensorFile early(step_checkpoint(here / "a", 10));
  const TensorFile late(step_checkpoint(here / "a", 40));
  const TensorFile resumed(step_checkpoint(here / "cut", 40));
  for (const auto& [name, is_frozen] : {std::pair<std::string, bool>("source.embedding", true),
                                        {"encoder.layers.0.self.value.weight", true},
                                        {"decoder.layers.0.cross.key.weight", true},
                                        {"encoder.layers.0.self.key.weight", false},
                                        {"target.embedding", false}}) {
    EXPECT_EQ(same_bytes(early, late, name), is_frozen) << name;
    EXPECT_EQ(late.find("optimizer.first_moment." + name) == nullptr, is_frozen) << name;
    EXPECT_TRUE(same_bytes(late, resumed, name)) << name;
  }
}

}}  // namespace tapehead

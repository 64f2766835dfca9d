// A checkpoint's identity: the differences that reject a checkpoint, and those that do not.
#include "train/run/checkpoints.hpp"

#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

std::shared_ptr<const Tokenizer> words(const std::vector<std::string>& entries) {
  return std::make_shared<VocabularyTokenizer>(Vocabulary(entries), Unit::word);
}

class IdentityTest : public Test {
 protected:
  static Config config(const std::vector<std::string>& overrides = {}) {
    return parse_config("task: {name: copy}\n", "a.yaml", overrides).config;
  }
  // The error for a file with these facts in a run with this config and these tokenizers.
  std::string error(const Metadata& facts, const Config& config, const Tokenizers& tokenizers) {
    write_tensor_file(here_ / "f", {}, facts);
    return io_error_of(
        [&] { expect_identity(TensorFile(here_ / "f"), identity_of(config, tokenizers, "data")); });
  }
  Metadata facts() { return identity_of(config(), tokenizers_, "data").facts; }

  Tokenizers tokenizers_{.source = words({"a", "b"}), .target = words({"c"})};
  TemporaryDirectory here_;
};

TEST_F(IdentityTest, names_what_differs) {
  EXPECT_EQ(error(facts(), config(), tokenizers_), "no error");
  EXPECT_THAT(error(facts(), config({"model.activation=gelu"}), tokenizers_),
              AllOf(HasSubstr("/f comes from another model"),
                    HasSubstr("(model.activation: relu, not gelu)")));
  EXPECT_THAT(error(facts(), config({"seed=2"}), tokenizers_),
              HasSubstr("another seed (seed: 1, not 2)"));
  EXPECT_THAT(error(facts(), config(), {words({"b", "a"}), words({"c"})}),
              HasSubstr("another source tokenizer"));
  EXPECT_THAT(error(facts(), config(), {words({"a", "b"}), words({"c", "d"})}),
              HasSubstr("another target tokenizer"));
  Metadata other = facts();
  other["data"] = "others";
  EXPECT_THAT(error(other, config(), tokenizers_), HasSubstr("other data"));
  other.erase("data");
  EXPECT_THAT(error(other, config(), tokenizers_), HasSubstr("its metadata has no 'data'"));
}

TEST_F(IdentityTest, does_not_change_with_what_weights_do_not_depend_on) {
  EXPECT_EQ(error(facts(),
                  config({"model.dropout=0.4", "attention.head_dropout=0.1",
                          "model.initializer=normal", "training.learning_rate=0.1"}),
                  tokenizers_),
            "no error");
}

// The checkpoint is older than the option.
TEST_F(IdentityTest, takes_an_option_that_the_file_does_not_know_for_the_default) {
  Metadata older = facts();
  older.erase("encoder_self.score");
  EXPECT_EQ(error(older, config(), tokenizers_), "no error");
  EXPECT_THAT(error(older, config({"attention.score=cosine"}), tokenizers_),
              HasSubstr("score: dot, not cosine"));
}

TEST_F(IdentityTest, of_checkpoints_from_before_is_their_digest_of_the_config) {
  const Metadata former{{"config", identity_of(config(), tokenizers_).former_digest},
                        {"data", "data"}};
  EXPECT_EQ(error(former, config(), tokenizers_), "no error");
  EXPECT_THAT(error(former, config({"model.activation=gelu"}), tokenizers_),
              HasSubstr("another model or seed"));
}

TEST(TokenizerDigest, is_of_the_entries_in_order) {
  const std::string digest = tokenizer_digest(*words({"a", "b"}));
  EXPECT_EQ(digest.size(), 16U);
  EXPECT_EQ(tokenizer_digest(*words({"a", "b"})), digest);
  EXPECT_NE(tokenizer_digest(*words({"b", "a"})), digest);
  EXPECT_NE(tokenizer_digest(*words({"ab"})), digest);
  EXPECT_NE(tokenizer_digest(*words({"a", "b", "c"})), digest);
}

TEST(VocabularyMatch, finds_entries_by_their_text) {
  const VocabularyMatch match =
      match_vocabularies(*words({"x", "b", "a"}), *words({"a", "y", "b"}));
  EXPECT_THAT(match.from, ElementsAre(0, 1, 2, 5, -1, 4));
  EXPECT_EQ(match.matched, 2);
  EXPECT_EQ(match.entries, 3);
}

}}  // namespace tapehead

// A checkpoint's identity: the differences that reject a checkpoint, and those that do not.
#include "train/run/checkpoints.hpp"

#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/vocabulary.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

std::shared_ptr<const Tokenizer> words(const std::vector<std::string>& entries) {
  return std::make_shared<VocabularyTokenizer>(Vocabulary(entries), Unit::word);
}

TEST(IdentityTest, names_what_differs) {
  const TemporaryDirectory here;
  const auto config = [](const std::vector<std::string>& overrides) {
    return parse_config("task: {name: copy}\n", "a.yaml", overrides).config;
  };
  const Tokenizers tokenizers{.source = words({"a", "b"}), .target = words({"c"})};
  const Tokenizers other_source{.source = words({"b", "a"}), .target = words({"c"})};
  const Tokenizers other_target{.source = words({"a", "b"}), .target = words({"c", "d"})};
  const Identity identity = identity_of(config({}), tokenizers, "data");
  Metadata other_data = identity.facts;
  other_data["data"] = "others";
  Metadata no_data = identity.facts;
  no_data.erase("data");
  Metadata older = identity.facts;  // than the option
  older.erase("encoder_self.score");
  // Older checkpoints have a digest of the config.
  const Metadata digest{{"config", identity.former_digest}, {"data", "data"}};
  struct Case {
    Metadata facts;
    std::vector<std::string> set;  // options of the run
    std::string said;
    Tokenizers of_run{};
  };
  for (const auto& [facts, set, said, of_run] : std::vector<Case>{
           {identity.facts, {}, "no error"},
           {identity.facts, {"model.dropout=0.4", "attention.head_dropout=0.1"}, "no error"},
           {identity.facts, {"model.initializer=normal", "training.learning_rate=0.1"}, "no error"},
           {identity.facts, {"model.activation=gelu"}, "/f comes from another model"},
           {identity.facts, {"model.activation=gelu"}, "(model.activation: relu, not gelu)"},
           {identity.facts, {"seed=2"}, "another seed (seed: 1, not 2)"},
           {identity.facts, {}, "another source tokenizer", other_source},
           {identity.facts, {}, "another target tokenizer", other_target},
           {other_data, {}, "other data"},
           {no_data, {}, "its metadata has no 'data'"},
           {older, {}, "no error"},
           {older, {"attention.score=cosine"}, "score: dot, not cosine"},
           {digest, {}, "no error"},
           {digest, {"model.activation=gelu"}, "another model or seed"}}) {
    write_tensor_file(here / "f", {}, facts);
    const auto run = identity_of(config(set), of_run.source ? of_run : tokenizers, "data");
    EXPECT_THAT(io_error_of([&] { expect_identity(TensorFile(here / "f"), run); }), HasSubstr(said))
        << fmt::format("{}", set);
  }
}

TEST(TokenizerDigest, is_of_the_entries_in_order) {
  const std::string digest = tokenizer_digest(*words({"a", "b"}));
  EXPECT_THAT(digest, SizeIs(16));
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

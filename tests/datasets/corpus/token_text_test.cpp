// A text as tokens in a mapped file: reading returns what was written, and damage is detected.
#include "datasets/corpus/token_text.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/examples.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead { namespace {

class TokenTextFile : public Test {
 protected:
  // The text from a file of these documents.
  TokenText read(const std::vector<std::vector<TokenId>>& documents, Index vocabulary = 100) const {
    text_of_documents(documents, vocabulary, counts_).save(file_);
    return TokenText(file_);
  }
  std::string error_for(const std::string& content) const {
    here_.write("b", content);
    return io_error_of([&] { TokenText text(here_ / "b"); });
  }

  const TextCounts counts_{
      .bytes = 11,
      .words = 4,
      .unknown = {.tokens = 1, .lines = 1, .of = 9, .first = "ü", .first_line = 7}};
  const TemporaryDirectory here_;
  const std::filesystem::path file_ = here_ / "a";
};

std::vector<TokenId> ids_of(const TokenText& text, Index first, Index count) {
  PoolVector<TokenId> ids;
  text.append_to(ids, first, count);
  return {ids.begin(), ids.end()};
}

TEST_F(TokenTextFile, is_read_as_it_was_written_and_is_the_same_where_it_was_saved) {
  const TokenText text = read({{69999, 4, 5}, {6}}, 70000);  // ids need more than two bytes
  EXPECT_THAT(ids_of(text, 0, text.size()), ElementsAre(69999, 4, 5, end_id, 6, end_id));
  EXPECT_THAT(ids_of(text, 2, 3), ElementsAre(5, end_id, 6));
  ASSERT_EQ(text.documents(), 2);
  EXPECT_THAT((std::array{text.begin_of(0), text.begin_of(1), text.begin_of(2)}),
              ElementsAre(0, 4, 6));
  const TextCounts& counts = text.counts();
  EXPECT_EQ(counts.bytes, 11);
  EXPECT_EQ(counts.words, 4);
  EXPECT_EQ(counts.unknown.first, "ü");
  EXPECT_EQ(counts.unknown.first_line, 7);

  std::vector<TokenId> tokens;  // longer than two checksum blocks
  for (TokenId i = 0; i < 1300000; ++i) {
    tokens.push_back(3 + i % 60000);
  }
  const TokenText longer = read({tokens, tokens}, 65536);
  EXPECT_EQ(ids_of(longer, std::ssize(tokens) + 1, std::ssize(tokens)), tokens);
  const TokenText saved = read({{3}, {4}});
  std::filesystem::remove(file_);
  saved.save(here_ / "b");
  EXPECT_EQ(TokenText(here_ / "b").digest(), saved.digest());
  EXPECT_EQ(TokenText(here_ / "b")[2], 4);
  EXPECT_NE(read({{3, end_id, 4}}).digest(), saved.digest());
}

TEST_F(TokenTextFile, is_refused_with_any_byte_changed_or_cut_off) {
  read({{3, 4, 5}, {}, {6}});
  EXPECT_EQ(documents_in(file_), 3);
  const std::string whole = read_file(file_);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_THAT(error_for(damaged), HasSubstr("b is ")) << i;
    EXPECT_THAT(error_for(whole.substr(0, i)), HasSubstr("b is ")) << i;
    EXPECT_THROW(documents_in(here_ / "b"), IoError) << i;
  }
}

// A correct checksum proves nothing: an attacker can recompute it after changing a number.
TEST_F(TokenTextFile, is_refused_if_its_numbers_do_not_fit_its_size) {
  read({{3, 4, 5}, {6}});
  const TokenFile whole = token_file_in(read_file(file_));
  const auto error = [&](const TokenFile& file) {
    const std::string message = error_for(sealed(file));
    EXPECT_THAT(message, AnyOf("no error", HasSubstr("b is damaged")));
    return message;
  };
  EXPECT_EQ(error(whole), "no error");
  const auto with_fact = [&](const char* pointer, const nlohmann::json& value) {
    auto facts = nlohmann::json::parse(whole.facts);
    facts[nlohmann::json::json_pointer(pointer)] = value;
    return error({whole.body, facts.dump()});
  };
  for (const char* fact : {"/tokens", "/token_bytes", "/documents"}) {
    for (const std::int64_t value : {-2L, -1L, 0L, 1L, 3L, 4L, 5L, 1L << 40, 1L << 61}) {
      EXPECT_THAT(with_fact(fact, value), Not("no error")) << fact << value;
    }
    EXPECT_THAT(with_fact(fact, "x"), HasSubstr(fact + 1));
  }
  for (const char* fact : {"/bytes", "/words", "/unknown/lines", "/unknown/tokens"}) {
    EXPECT_THAT(with_fact(fact, -1), HasSubstr("is not a whole number")) << fact;
  }
  EXPECT_THAT(error({whole.body, "{}"}), HasSubstr("there is no 'token_bytes'"));
  EXPECT_THAT(error({whole.body, std::string(200000, '[')}), HasSubstr("nested deeper"));
  // The last two numbers are the document ends, 4 and 6.
  const std::string ids = whole.body.substr(0, whole.body.size() - 16);
  using Ends = std::pair<std::uint64_t, std::uint64_t>;
  for (const auto& [first, last] :
       {Ends{0, 6}, {6, 6}, {7, 6}, {4, 5}, {4, 7}, {1ULL << 40, 6}, {~0ULL, 6}}) {
    EXPECT_THAT(error({ids + bytes_of(first) + bytes_of(last), whole.facts}),
                HasSubstr("ends at token"));
  }
}

}}  // namespace tapehead

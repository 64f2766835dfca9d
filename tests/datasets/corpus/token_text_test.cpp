// A text as tokens in a mapped file: reading returns what was written, and damage is detected.
#include "datasets/corpus/token_text.hpp"

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr Index wide_vocabulary = 70000;  // ids need more than two bytes

void write_documents(const std::filesystem::path& file, Index vocabulary,
                     const std::vector<std::vector<TokenId>>& documents) {
  TokenTextWriter writer(vocabulary);
  for (const std::vector<TokenId>& document : documents) {
    writer.add(document);
    writer.end_document();
  }
  writer
      .finish({.bytes = 11,
               .words = 4,
               .unknown = {.tokens = 1, .lines = 1, .of = 9, .first = "ü", .first_line = 7}})
      .save(file);
}

std::vector<TokenId> ids_of(const TokenText& text, Index first, Index count) {
  PoolVector<TokenId> ids;
  text.append_to(ids, first, count);
  return {ids.begin(), ids.end()};
}

TEST(TokenText, is_read_as_it_was_written) {
  const TemporaryDirectory here;
  write_documents(here / "a", wide_vocabulary, {{69999, 4, 5}, {6}});
  const TokenText text(here / "a");
  EXPECT_THAT(ids_of(text, 0, text.size()), ElementsAre(69999, 4, 5, end_id, 6, end_id));
  EXPECT_THAT(ids_of(text, 2, 3), ElementsAre(5, end_id, 6));
  ASSERT_EQ(text.documents(), 2);
  EXPECT_EQ(text.begin_of(0), 0);
  EXPECT_EQ(text.begin_of(1), 4);
  EXPECT_EQ(text.begin_of(2), 6);
  EXPECT_EQ(text.counts().bytes, 11);
  EXPECT_EQ(text.counts().words, 4);
  EXPECT_EQ(text.counts().unknown.first, "ü");
  EXPECT_EQ(text.counts().unknown.first_line, 7);
}

// Longer than two checksum blocks.
TEST(TokenText, may_be_long) {
  const TemporaryDirectory here;
  std::vector<TokenId> tokens;
  for (TokenId i = 0; i < 1300000; ++i) {
    tokens.push_back(3 + i % 60000);
  }
  write_documents(here / "a", 65536, {tokens, tokens});
  const TokenText text(here / "a");
  EXPECT_THAT(ids_of(text, std::ssize(tokens) + 1, std::ssize(tokens)), ElementsAreArray(tokens));
}

TEST(TokenText, is_the_same_text_where_it_was_saved) {
  const TemporaryDirectory here;
  write_documents(here / "a", 100, {{3, 4}});
  const TokenText text(here / "a");
  std::filesystem::remove(here / "a");
  text.save(here / "b");
  EXPECT_EQ(TokenText(here / "b").digest(), text.digest());
  EXPECT_EQ(TokenText(here / "b")[1], 4);
}

TEST(TokenText, has_another_digest_if_its_documents_end_elsewhere) {
  const TemporaryDirectory here;
  write_documents(here / "a", 100, {{3, end_id, 4}});
  write_documents(here / "b", 100, {{3}, {4}});
  EXPECT_NE(TokenText(here / "a").digest(), TokenText(here / "b").digest());
}

TEST(TokenText, tells_the_documents_of_a_file_by_its_end) {
  const TemporaryDirectory here;
  write_documents(here / "a", 100, {{3, 4, 5}, {}, {6}});
  EXPECT_EQ(documents_in(here / "a"), 3);
  const std::string whole = read_file(here / "a");
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    write_file_atomically(here / "b", whole.substr(0, kept));
    EXPECT_THROW(documents_in(here / "b"), IoError) << kept;
  }
}

TEST(TokenText, is_refused_with_any_byte_changed_or_cut_off) {
  const TemporaryDirectory here;
  write_documents(here / "a", 100, {{3, 4, 5}, {6}});
  const std::string whole = read_file(here / "a");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    write_file_atomically(here / "b", damaged);
    EXPECT_THAT(io_error_of([&] { TokenText text(here / "b"); }), HasSubstr("b is ")) << i;
    write_file_atomically(here / "b", whole.substr(0, i));
    EXPECT_THAT(io_error_of([&] { TokenText text(here / "b"); }), HasSubstr("b is ")) << i;
  }
}

// A correct checksum proves nothing: an attacker can recompute it after changing a number.
TEST(TokenText, is_refused_if_its_numbers_do_not_fit_its_size) {
  const TemporaryDirectory here;
  write_documents(here / "a", 100, {{3, 4, 5}, {6}});
  const TokenFile whole = token_file_in(read_file(here / "a"));
  const auto error = [&](const TokenFile& file) {
    write_file_atomically(here / "b", sealed(file));
    const std::string message = io_error_of([&] { TokenText text(here / "b"); });
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
  for (const auto& [first, last] : {std::pair<std::uint64_t, std::uint64_t>{0, 6},
                                    {6, 6},
                                    {7, 6},
                                    {4, 5},
                                    {4, 7},
                                    {1ULL << 40, 6},
                                    {~0ULL, 6}}) {
    const std::string ids = whole.body.substr(0, whole.body.size() - 16);
    EXPECT_THAT(error({ids + bytes_of(first) + bytes_of(last), whole.facts}),
                HasSubstr("ends at token"));
  }
}

}}  // namespace tapehead

// Byte-level BPE: for 5,000 texts the ids of the Python package tokenizers; training; files.
#include "datasets/tokenizers/byte_bpe.hpp"

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/pretokenization.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "interchange/tokenizers/pretrained_tokenizers.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tokenizer_fixtures.hpp"

namespace tapehead { namespace {

// The ids line by line in the order of the file.
std::vector<std::vector<Index>> expected_ids() {
  std::vector<std::vector<Index>> ids;
  std::istringstream lines(read_file(tokenizer_fixtures / "byte_bpe_ids.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream numbers(line);
    ids.emplace_back(std::istream_iterator<Index>(numbers), std::istream_iterator<Index>());
  }
  return ids;
}

class ByteBpeFiles : public TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Kinds, ByteBpeFiles, Values("byte_bpe", "byte_bpe_json"),
                         [](const auto& test) { return test.param; });

TEST_P(ByteBpeFiles, give_the_ids_of_the_reference_and_the_text_back) {
  const PretrainedTokenizer read = read_pretrained_tokenizer(tokenizer_fixtures / GetParam());
  const std::vector<std::string> texts = fixture_texts();
  const std::vector<std::vector<Index>> expected = expected_ids();
  ASSERT_EQ(texts.size(), 5000U);  // NATURAL + FUZZED in the script
  ASSERT_EQ(expected.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<TokenId> tokens = read.tokenizer->encode(texts[i]);
    ASSERT_EQ(file_ids_of(read, tokens), expected[i]) << nlohmann::json(texts[i]);
    ASSERT_EQ(read.tokenizer->decode(tokens), texts[i]);
  }
}

TEST(ByteBpe, trains_the_merges_of_the_reference) {
  const auto read = read_pretrained_tokenizer(tokenizer_fixtures / "byte_bpe").tokenizer;
  const BytePairs& expected = dynamic_cast<const ByteBpe&>(*read).pairs();
  const BytePairs trained =
      train_byte_bpe(read_lines(tokenizer_fixtures / "training.txt"), read->size());
  EXPECT_EQ(trained.entries, expected.entries);
  EXPECT_EQ(trained.merges, expected.merges);
}

TEST(ByteBpe, merges_the_most_frequent_pair_then_the_one_of_lower_ids) {
  using Pair = BytePairs::Pair;
  // "ab" occurs four times, "bc" twice; then "abc" and "xy" twice each, where "a" precedes "x".
  const std::vector<std::string> lines{"abc", "abc xy", "ab1ab", "xy"};
  EXPECT_THAT(train_byte_bpe(lines, smallest_byte_bpe + 3).merges,
              ElementsAre(Pair("a", "b"), Pair("x", "y"), Pair("ab", "c")));
  EXPECT_EQ(train_byte_bpe(lines, 1000).merges.size(), 3U) << "no pair that occurs once is merged";
  EXPECT_THAT(train_byte_bpe({}, 1000).merges, IsEmpty());
}

TEST(ByteBpe, counts_a_run_of_equal_bytes_again_after_each_merge) {
  using Pair = BytePairs::Pair;
  const std::vector<std::string> lines{"aaaaaaa", "aaaa"};
  EXPECT_THAT(train_byte_bpe(lines, 1000).merges, ElementsAre(Pair("a", "a"), Pair("aa", "aa")));
}

ByteBpe trained() {
  return ByteBpe(train_byte_bpe(read_lines(tokenizer_fixtures / "training.txt"), 600));
}

TEST(ByteBpe, has_tokens_for_bytes_that_are_no_text) {
  const ByteBpe tokenizer = trained();
  std::string all_bytes;
  for (int byte = 255; byte >= 0; --byte) {
    all_bytes += static_cast<char>(byte);
  }
  for (const std::string& bytes : {all_bytes, std::string("\xC3"),
                                   std::string(" \xE2\x82 the \xFF\xFE"), std::string("\0a", 2)}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(bytes)), bytes);
    EXPECT_THAT(tokenizer.unknown_parts(bytes), IsEmpty());
  }
  EXPECT_EQ(chunks_of("a\xFF b"), (std::vector<std::string_view>{"a", "\xFF", " b"}));
}

TEST(ByteBpe, leaves_marks_out_and_shows_the_unknown_one) {
  const ByteBpe tokenizer = trained();
  const TokenId a = tokenizer.encode("a").front();
  EXPECT_EQ(tokenizer.decode({begin_id, a, unknown_id, a, end_id}), "a⁇a");
  EXPECT_EQ(tokenizer.decode({static_cast<TokenId>(tokenizer.size())}), "⁇");
}

TEST(ByteBpe, shows_entries_as_text) {
  const ByteBpe tokenizer = trained();
  EXPECT_EQ(tokenizer.entry(unknown_id), "<unk>");
  EXPECT_EQ(tokenizer.entry(tokenizer.encode(" the").front()), "\u2581the");
  EXPECT_EQ(tokenizer.entry(tokenizer.encode("\n").front()), "\\n");
  EXPECT_EQ(tokenizer.entry(tokenizer.encode("\xFF").front()), "<FF>");
}

// If each merge scanned the whole chunk, a million bytes would take 5e11 steps.
TEST(ByteBpe, merges_a_long_chunk) {
  const ByteBpe tokenizer = trained();
  const std::string text(1'000'000, 'a');
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_EQ(train_byte_bpe(std::vector{text}, 1000).merges.size(), 19U)  // 2^19 < 1e6 < 2^20
      << "each merge doubles";
}

TEST(ByteBpe, comes_back_from_the_files_of_a_run) {
  const TemporaryDirectory directory;
  const ByteBpe tokenizer = trained();
  tokenizer.save(directory / "joint");
  const Tokenizers loaded = load_tokenizers(directory.path());
  const auto& same = dynamic_cast<const ByteBpe&>(*loaded.source);
  EXPECT_EQ(same.pairs().entries, tokenizer.pairs().entries);
  EXPECT_EQ(same.pairs().merges, tokenizer.pairs().merges);
  EXPECT_TRUE(loaded.source->shares_file_with(*loaded.target));
}

TEST(ByteBpe, names_what_is_missing) {
  const auto message_for = [](const auto& change) {
    BytePairs pairs = train_byte_bpe({}, smallest_byte_bpe);
    change(pairs);
    return message_of<DataError>([&] { ByteBpe{std::move(pairs)}; });
  };
  EXPECT_EQ(message_for([](BytePairs&) {}), "no error");
  EXPECT_THAT(message_for([](BytePairs& pairs) { pairs.merges.emplace_back("a", "b"); }),
              HasSubstr("needs the entry `ab`"));
  EXPECT_THAT(message_for([](BytePairs& pairs) { std::erase(pairs.entries, "a"); }),
              HasSubstr("the byte 61 has no entry"));
  EXPECT_THAT(message_for([](BytePairs& pairs) { pairs.entries.emplace_back("a"); }),
              HasSubstr("`a` occurs twice"));
}

TEST(ByteCharacters, stand_for_each_byte_once) {
  std::string all_bytes;
  for (const ByteCharacter& row : byte_characters()) {
    all_bytes += row.byte;
  }
  EXPECT_EQ(bytes_of_spelling(spelled_bytes(all_bytes)), all_bytes);
  EXPECT_EQ(spelled_bytes(" a\n\xFF"), "\u0120a\u010A\u00FF");  // Ġ and Ċ as in GPT-2's files
  EXPECT_FALSE(bytes_of_spelling(" ").has_value());
  EXPECT_FALSE(bytes_of_spelling("\u4E2D").has_value());
}

}}  // namespace tapehead

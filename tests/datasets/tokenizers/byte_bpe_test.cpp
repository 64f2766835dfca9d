// Byte-level BPE: for 5,000 texts the ids of the Python package tokenizers; training; files.
#include "datasets/tokenizers/byte_bpe.hpp"

#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/pretokenization.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tokenizer_fixtures.hpp"

namespace tapehead { namespace {

using MergedPair = BytePairs::Pair;

TEST(ByteBpeFiles, give_the_ids_of_the_reference_and_the_text_back) {
  const std::vector<std::string> texts = fixture_texts();
  ASSERT_EQ(texts.size(), 5000U);  // NATURAL + FUZZED in the script
  for (const char* kind : {"byte_bpe", "byte_bpe_json"}) {
    const PretrainedTokenizer read = read_pretrained_tokenizer(tokenizer_fixtures / kind);
    std::istringstream expected(read_file(tokenizer_fixtures / "byte_bpe_ids.txt"));
    std::string ids;  // of a text, in its line
    for (const std::string& text : texts) {
      ASSERT_TRUE(std::getline(expected, ids));
      const std::vector<TokenId> tokens = read.tokenizer->encode(text);
      ASSERT_EQ(fmt::format("{}", fmt::join(file_ids_of(read, tokens), " ")), ids)
          << kind << nlohmann::json(text);
      ASSERT_EQ(read.tokenizer->decode(tokens), text);
    }
    EXPECT_FALSE(std::getline(expected, ids));
  }
}

TEST(ByteBpe, merges_the_most_frequent_pair_then_the_one_of_lower_ids_as_the_reference) {
  const auto merges = [](const std::vector<std::string>& lines, Index size = 1000) {
    return train_byte_bpe(lines, size).merges;
  };
  // "ab" occurs four times, "bc" twice; then "abc" and "xy" twice each, where "a" precedes "x".
  const std::vector<std::string> lines{"abc", "abc xy", "ab1ab", "xy"};
  EXPECT_THAT(merges(lines, smallest_byte_bpe + 3),
              ElementsAre(MergedPair("a", "b"), MergedPair("x", "y"), MergedPair("ab", "c")));
  EXPECT_EQ(merges(lines).size(), 3U) << "no pair that occurs once is merged";
  EXPECT_THAT(merges({}), IsEmpty());
  // A run of equal bytes is counted again after each merge.
  EXPECT_THAT(merges({"aaaaaaa", "aaaa"}),
              ElementsAre(MergedPair("a", "a"), MergedPair("aa", "aa")));
  const auto read = read_pretrained_tokenizer(tokenizer_fixtures / "byte_bpe").tokenizer;
  const BytePairs& expected = dynamic_cast<const ByteBpe&>(*read).pairs();
  const BytePairs found =
      train_byte_bpe(read_lines(tokenizer_fixtures / "training.txt"), read->size());
  EXPECT_EQ(found.entries, expected.entries);
  EXPECT_EQ(found.merges, expected.merges);
}

const ByteBpe& trained() {
  static const ByteBpe tokenizer(
      train_byte_bpe(read_lines(tokenizer_fixtures / "training.txt"), 600));
  return tokenizer;
}

TEST(ByteBpe, has_tokens_for_bytes_that_are_no_text) {
  std::string all_bytes;
  for (int byte = 255; byte >= 0; --byte) {
    all_bytes += static_cast<char>(byte);
  }
  for (const std::string& bytes : {all_bytes, std::string("\xC3"),
                                   std::string(" \xE2\x82 the \xFF\xFE"), std::string("\0a", 2)}) {
    EXPECT_EQ(trained().decode(trained().encode(bytes)), bytes);
    EXPECT_THAT(trained().unknown_parts(bytes), IsEmpty());
  }
  EXPECT_EQ(chunks_of("a\xFF b"), (std::vector<std::string_view>{"a", "\xFF", " b"}));
}

TEST(ByteBpe, shows_entries_and_leaves_marks_out_but_the_unknown_one) {
  const TokenId a = trained().encode("a").front();
  EXPECT_EQ(trained().decode({begin_id, a, unknown_id, a, end_id}), "a⁇a");
  EXPECT_EQ(trained().decode({static_cast<TokenId>(trained().size())}), "⁇");
  const auto entry = [](const char* text) {
    return trained().entry(trained().encode(text).front());
  };
  EXPECT_EQ(trained().entry(unknown_id), "<unk>");
  EXPECT_EQ(entry(" the"), "\u2581the");
  EXPECT_EQ(entry("\n"), "\\n");
  EXPECT_EQ(entry("\xFF"), "<FF>");
}

// If each merge scanned the whole chunk, a million bytes would take 5e11 steps.
TEST(ByteBpe, merges_a_long_chunk_and_comes_back_from_the_files_of_a_run) {
  const std::string text(1'000'000, 'a');
  EXPECT_EQ(trained().decode(trained().encode(text)), text);
  EXPECT_EQ(train_byte_bpe(std::vector{text}, 1000).merges.size(), 19U)  // 2^19 < 1e6 < 2^20
      << "each merge doubles";
  const TemporaryDirectory directory;
  trained().save(directory / "joint");
  const Tokenizers loaded = load_tokenizers(directory.path());
  const auto& same = dynamic_cast<const ByteBpe&>(*loaded.source);
  EXPECT_EQ(same.pairs().entries, trained().pairs().entries);
  EXPECT_EQ(same.pairs().merges, trained().pairs().merges);
  EXPECT_TRUE(loaded.source->shares_file_with(*loaded.target));
}

TEST(ByteBpe, names_what_is_missing) {
  const BytePairs whole = train_byte_bpe({}, smallest_byte_bpe);
  EXPECT_NO_THROW(ByteBpe{whole});
  BytePairs more_merges = whole;
  more_merges.merges.emplace_back("a", "b");
  EXPECT_THAT([&] { ByteBpe{more_merges}; }, throws<DataError>("needs the entry `ab`"));
  BytePairs fewer_bytes = whole;
  std::erase(fewer_bytes.entries, "a");
  EXPECT_THAT([&] { ByteBpe{fewer_bytes}; }, throws<DataError>("the byte 61 has no entry"));
  BytePairs twice = whole;
  twice.entries.emplace_back("a");
  EXPECT_THAT([&] { ByteBpe{twice}; }, throws<DataError>("`a` occurs twice"));
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

// Compiled normalisations that would make the library read outside of their bytes are rejected.
#include "datasets/tokenizers/sentencepiece_fields.hpp"

#include "datasets/tokenizers/sentencepiece_content.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class CharacterMaps : public Test {
 protected:
  CharacterMaps()
      : model_(train_sentencepiece(std::vector<std::string>(50, "the cat sees the other cat"),
                                   {.vocabulary = 20, .normalization = Normalization::nfkc})),
        map_(content_of(SentencePieceTokenizer(model_, Pieces::all)).character_map) {}

  // The map starts with the size of its trie in bytes; then follow its 4-byte units.
  std::uint32_t unit(std::uint32_t number) const {
    std::uint32_t found = 0;
    std::memcpy(&found, map_.data() + 4 + 4 * std::size_t{number}, sizeof found);
    return found;
  }
  void set_unit(std::uint32_t number, std::uint32_t value) {
    std::memcpy(map_.data() + 4 + 4 * std::size_t{number}, &value, sizeof value);
  }
  std::uint32_t units() const {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, map_.data(), sizeof bytes);
    return bytes / 4;
  }
  // The error for a model with the changed map.
  std::string error() const {
    std::string changed = model_;
    const std::string before =
        content_of(SentencePieceTokenizer(model_, Pieces::all)).character_map;
    changed.replace(changed.find(before), before.size(), map_);
    return message_of<DataError>([&] { SentencePieceTokenizer(changed, Pieces::all); });
  }

  std::string model_;
  std::string map_;
  const std::string damaged_ = "not a SentencePiece model: its normalisation is damaged";
};

TEST_F(CharacterMaps, of_the_library_are_sound) {
  EXPECT_GT(map_.size(), 200'000U);
  for (const Normalization kind :
       {Normalization::identity, Normalization::nfkc, Normalization::nfkc_cf}) {
    SentencePieceTokenizer(
        train_sentencepiece(std::vector<std::string>(50, "the cat sees the other cat"),
                            {.vocabulary = 20, .normalization = kind}),
        Pieces::all);
  }
  EXPECT_EQ(error(), "no error");
}

TEST_F(CharacterMaps, with_a_trie_longer_than_themselves_are_refused) {
  const auto length = static_cast<std::uint32_t>(map_.size());
  std::memcpy(map_.data(), &length, sizeof length);
  EXPECT_EQ(error(), damaged_);
}

TEST_F(CharacterMaps, whose_last_text_has_no_end_are_refused) {
  map_.back() = 'x';
  EXPECT_EQ(error(), damaged_);
}

TEST_F(CharacterMaps, whose_root_is_outside_are_refused) {
  set_unit(0, 0xFFFFFE00);  // the largest offset
  EXPECT_EQ(error(), damaged_);
}

TEST_F(CharacterMaps, whose_texts_are_outside_are_refused) {
  for (std::uint32_t number = 0; number < units(); ++number) {
    if (unit(number) >> 31U != 0) {  // offset of a replacement text
      set_unit(number, 0xFFFFFFFF);
    }
  }
  EXPECT_EQ(error(), damaged_);
}

// A byte that leads from the root to the root: a text of such bytes has any number of results, but
// the library has room for 32.
TEST_F(CharacterMaps, that_go_round_in_a_circle_are_refused) {
  const std::uint32_t root = (unit(0) >> 10U) << ((unit(0) & 0x200U) >> 6U);
  const std::uint32_t letter = 'a';
  set_unit(root ^ letter, (letter << 10U) | letter);
  EXPECT_EQ(error(), damaged_);
}

}}  // namespace tapehead

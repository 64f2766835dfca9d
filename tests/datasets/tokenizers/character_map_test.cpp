// The fields of serialised SentencePiece models. Compiled normalisations that would make the
// library read outside of their bytes are rejected.
#include "datasets/tokenizers/sentencepiece_fields.hpp"

#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "tests/support/message_of.hpp"

namespace tapehead { namespace {

using namespace std::string_view_literals;

std::string trained_model(Normalization normalization) {
  return train_sentencepiece(std::vector<std::string>(50, "the cat sees the other cat"),
                             {.vocabulary = 20, .normalization = normalization});
}

// A map starts with the size of its trie in bytes (number 0); then follow the trie's units.
std::uint32_t number_at(const std::string& map, std::size_t index) {
  std::uint32_t found = 0;
  std::memcpy(&found, map.data() + index * sizeof found, sizeof found);
  return found;
}
void set_number(std::string& map, std::size_t index, std::uint32_t value) {
  std::memcpy(map.data() + index * sizeof value, &value, sizeof value);
}

struct Damage {
  std::string_view name;
  std::function<void(std::string& map)> apply;
};

TEST(CharacterMaps, that_would_be_read_outside_of_their_bytes_are_refused) {
  const std::vector<Damage> damages{
      {"a trie longer than the map",
       [](std::string& map) { set_number(map, 0, static_cast<std::uint32_t>(map.size())); }},
      {"a last text without an end", [](std::string& map) { map.back() = 'x'; }},
      {"a root outside", [](std::string& map) { set_number(map, 1, 0xFFFFFE00); }},  // the largest
      {"texts outside",
       [](std::string& map) {
         for (std::size_t index = 1; index <= number_at(map, 0) / 4; ++index) {
           if (number_at(map, index) >> 31U != 0) {  // offset of a replacement text
             set_number(map, index, 0xFFFFFFFF);
           }
         }
       }},
      // A byte that leads from the root to the root: a text of such bytes has any number of
      // results, but the library has room for 32.
      {"a circle", [](std::string& map) {
         const std::uint32_t root = (number_at(map, 1) >> 10U)
                                    << ((number_at(map, 1) & 0x200U) >> 6U);
         const std::uint32_t letter = 'a';
         set_number(map, 1 + (root ^ letter), (letter << 10U) | letter);
       }}};
  const std::string model = trained_model(Normalization::nfkc);
  const std::string map = content_of(SentencePieceTokenizer(model, Pieces::all)).character_map;
  EXPECT_GT(map.size(), 200'000U);
  const auto error_with = [&](const std::string& other_map) {
    std::string changed = model;
    changed.replace(changed.find(map), map.size(), other_map);
    return message_of<DataError>([&] { SentencePieceTokenizer(changed, Pieces::all); });
  };
  EXPECT_EQ(error_with(map), "no error");
  for (const auto& [name, apply] : damages) {
    std::string damaged = map;
    apply(damaged);
    EXPECT_EQ(error_with(damaged), "not a SentencePiece model: its normalisation is damaged")
        << name;
  }
  for (const Normalization sound : {Normalization::identity, Normalization::nfkc_cf}) {
    SentencePieceTokenizer(trained_model(sound), Pieces::all);
  }
}

// Examples from the Protocol Buffers documentation.
TEST(SerializedFields, are_those_of_the_documentation_and_refused_if_cut_off) {
  std::string_view message = "\x08\x96\x01\x12\x07testing\x1D\x00\x00\x80\x3F"sv;
  const SerializedField number = take_field(message);  // "Encoding", "A Simple Message"
  EXPECT_EQ(number.number, 1U);
  EXPECT_EQ(number.value, 150U);
  EXPECT_EQ(number.whole, "\x08\x96\x01"sv);
  const SerializedField text = take_field(message);  // "Length-Delimited Records"
  EXPECT_EQ(text.number, 2U);
  EXPECT_EQ(text.content, "testing");
  const SerializedField one = take_field(message);  // 1.0f in IEEE 754
  EXPECT_EQ(one.number, 3U);
  EXPECT_EQ(one.content, "\x00\x00\x80\x3F"sv);
  EXPECT_TRUE(message.empty());
  EXPECT_EQ(serialized_field(1, 150), number.whole);
  EXPECT_EQ(serialized_field(2, "testing"), text.whole);
  for (const auto& [cut, error] : {std::pair{"\x08\x96"sv, "without an end"},
                                   {"\x12\x07test"sv, "longer than the model"},
                                   {"\x1D\x00"sv, "longer than the model"},
                                   {"\x0B"sv, "unknown type"}}) {  // a group
    std::string_view rest = cut;
    EXPECT_THAT(message_of<DataError>([&] { take_field(rest); }), HasSubstr(error));
  }
}

}}  // namespace tapehead

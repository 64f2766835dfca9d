#include "datasets/tokenizers/character_map.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "core/errors.hpp"
#include "datasets/tokenizers/serialized_fields.hpp"

namespace tapehead {

namespace {

// The numbers of sentencepiece_model.proto.
constexpr std::uint64_t normalizer_number = 3;
constexpr std::uint64_t denormalizer_number = 5;
constexpr std::uint64_t map_number = 2;

// A map is the length of a trie in bytes, the trie, and the texts, each with a zero at its end. The
// trie is a double array of darts-clone: the child of a node for a byte is the unit at node ^ byte,
// if its label is that byte; its own node is there ^ its offset. If a key ends there, the unit at
// that node gives the place of its text.
class CharacterMap {
 public:
  explicit CharacterMap(std::string_view map) {
    std::uint32_t bytes = 0;
    expect(map.size() > sizeof bytes);
    std::memcpy(&bytes, map.data(), sizeof bytes);
    map.remove_prefix(sizeof bytes);
    expect(bytes < map.size() && bytes % sizeof bytes == 0 && map.back() == '\0');
    units_ = map.substr(0, bytes);
    texts_ = map.size() - bytes;
    expect(keys_below(offset_of(unit_at(0)), 0) <= most_results);
  }

 private:
  static constexpr int most_results = 32;  // of a search, in the library
  static constexpr int longest_key = 256;  // bytes; those of the library's own maps have up to 12
  static constexpr int unfinished = -1;

  static void expect(bool sound) {
    if (!sound) {
      throw DataError("not a SentencePiece model: its normalisation is damaged");
    }
  }
  static std::uint32_t offset_of(std::uint32_t unit) {
    return (unit >> 10U) << ((unit & (1U << 9U)) >> 6U);
  }

  std::uint32_t unit_at(std::uint32_t place) const {
    std::uint32_t unit = 0;
    expect((std::size_t{place} + 1) * sizeof unit <= units_.size());
    std::memcpy(&unit, units_.data() + std::size_t{place} * sizeof unit, sizeof unit);
    return unit;
  }

  // The most keys that end on one way down from a node. Ways may meet, but not in a circle.
  int keys_below(std::uint32_t node, int depth) {
    expect(depth <= longest_key);
    if (const auto [known, fresh] = keys_below_.try_emplace(node, unfinished); !fresh) {
      expect(known->second != unfinished);
      return known->second;
    }
    unit_at(node | 0xFFU);
    int most = 0;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t unit = unit_at(node ^ byte);
      if ((unit & 0x800000FFU) == byte) {
        const std::uint32_t child = node ^ byte ^ offset_of(unit);
        const bool ends = (unit & 0x100U) != 0;
        expect(!ends || (unit_at(child) & 0x7FFFFFFFU) < texts_);
        most = std::max(most, keys_below(child, depth + 1) + (ends ? 1 : 0));
      }
    }
    keys_below_[node] = most;
    return most;
  }

  std::string_view units_;
  std::size_t texts_ = 0;  // bytes
  std::unordered_map<std::uint32_t, int> keys_below_;
};

}  // namespace

void expect_sound_character_maps(std::string_view model) {
  while (!model.empty()) {
    const SerializedField part = take_field(model);
    std::string_view fields = part.content;
    while ((part.number == normalizer_number || part.number == denormalizer_number) &&
           !fields.empty()) {
      const SerializedField field = take_field(fields);
      if (field.number == map_number && !field.content.empty()) {
        const CharacterMap sound(field.content);
      }
    }
  }
}

}  // namespace tapehead

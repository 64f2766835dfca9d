#include "datasets/tokenizers/sentencepiece_fields.hpp"

#include <unordered_map>

namespace tapehead {

namespace {

enum class WireType { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

// A whole number in groups of seven bits, the lowest first. The top bit is set if bytes follow.
std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      return value;
    }
  }
  throw DataError("not a SentencePiece model: a field without an end");
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}

std::string tag_of(std::uint64_t number, WireType type) {
  return varint(number << 3 | static_cast<std::uint64_t>(type));
}

std::string_view take_bytes(std::string_view& bytes, std::uint64_t count) {
  if (count > bytes.size()) {
    throw DataError("not a SentencePiece model: a field longer than the model");
  }
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

// SentencePiece leaves numbers from 200 on to extensions; 1000 is the checksum of a saved model.
constexpr std::uint64_t target_pieces_number = 1001, language_names_number = 1002,
                        further_entry_number = 1003;

// A map holds the length of a trie in bytes, the trie, and texts that each end with a zero. The
// trie is a double array of darts-clone. The child of a node for a byte is the unit at node ^ byte,
// if the label of the unit is that byte; the child's node is node ^ byte ^ the unit's offset. If a
// key ends there, the unit at the child's node gives the place of its text.
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
  static constexpr int most_results = 32;  // results of a search in the library
  static constexpr int longest_key = 256;  // bytes; keys in the library's own maps have up to 12
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

  // The most keys that end on one path down from a node. Paths may meet, but not form a cycle.
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
  std::size_t texts_ = 0;  // bytes of the texts
  std::unordered_map<std::uint32_t, int> keys_below_;
};

}  // namespace

std::string serialized_field(std::uint64_t number, std::uint64_t value) {
  return tag_of(number, WireType::varint) + varint(value);
}

std::string serialized_field(std::uint64_t number, std::string_view content) {
  return tag_of(number, WireType::length_delimited) + varint(content.size()) + std::string(content);
}

SerializedField take_field(std::string_view& message) {
  const std::string_view before = message;
  const std::uint64_t tag = take_varint(message);
  SerializedField field{.number = tag >> 3};
  switch (static_cast<WireType>(tag & 7)) {
    case WireType::varint:
      field.value = take_varint(message);
      break;
    case WireType::fixed64:
      field.content = take_bytes(message, 8);
      break;
    case WireType::length_delimited:
      field.content = take_bytes(message, take_varint(message));
      break;
    case WireType::fixed32:
      field.content = take_bytes(message, 4);
      break;
    default:
      throw DataError("not a SentencePiece model: a field of an unknown type");
  }
  field.whole = before.substr(0, before.size() - message.size());
  return field;
}

ModelAdditions additions_of(std::string_view model) {
  ModelAdditions additions;
  for_fields(model, [&](const SerializedField& field) {
    if (field.number == target_pieces_number) {
      additions.target_pieces = static_cast<Index>(field.value);
    } else if (field.number == language_names_number) {
      additions.language_names = field.value != 0;
    } else if (field.number == further_entry_number) {
      additions.further_entries.emplace_back(field.content);
    }
  });
  return additions;
}

std::string with_additions(std::string_view model, const ModelAdditions& additions) {
  std::string result;
  for_fields(model, [&](const SerializedField& field) {
    if (field.number < target_pieces_number || field.number > further_entry_number) {
      result += field.whole;
    }
  });
  if (const auto count = additions.target_pieces) {
    result += serialized_field(target_pieces_number, static_cast<std::uint64_t>(*count));
  }
  if (additions.language_names) {
    result += serialized_field(language_names_number, 1);
  }
  for (const std::string& entry : additions.further_entries) {
    result += serialized_field(further_entry_number, entry);
  }
  return result;
}

void expect_sound_character_maps(std::string_view model) {
  for_fields(model, [](const SerializedField& part) {
    if (part.number == model_normalizer || part.number == model_denormalizer) {
      for_fields(part.content, [](const SerializedField& field) {
        if (field.number == normalizer_character_map && !field.content.empty()) {
          const CharacterMap sound(field.content);
        }
      });
    }
  });
}

}  // namespace tapehead

// Reads and writes fields of SentencePiece models (Protocol Buffers, "Encoding"). Also tapehead's
// additions to models, and a check of data that the library does not check.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Field numbers of sentencepiece_model.proto: of the model, and of a normaliser in it.
constexpr std::uint64_t model_pieces = 1, model_trainer = 2, model_normalizer = 3,
                        model_denormalizer = 5;
constexpr std::uint64_t normalizer_character_map = 2;

struct SerializedField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;     // of a whole number or a truth value
  std::string_view content{};  // bytes of a text, a message or a floating-point number
  std::string_view whole{};    // the field with its tag
};

// Serialises a field: a whole number, or a text.
std::string serialized_field(std::uint64_t number, std::uint64_t value);
std::string serialized_field(std::uint64_t number, std::string_view content);

// Takes the next field from the front of a message that is not empty. Throws DataError if the field
// has no end, or a type that models do not use.
SerializedField take_field(std::string_view& message);

void for_fields(std::string_view message, const auto& each) {
  while (!message.empty()) {
    each(take_field(message));
  }
}

struct ModelAdditions {
  std::optional<Index> target_pieces{};  // a target may use only this many first pieces
  // Whether `>>...<<` at the beginning of a text is the name of a language, which is one token, as
  // in MarianTokenizer of transformers.
  bool language_names = false;
  std::vector<std::string> further_entries{};  // not pieces; their ids follow the pieces
};

// Throws DataError.
ModelAdditions additions_of(std::string_view model);

// The model with its previous additions replaced by `additions`.
std::string with_additions(std::string_view model, const ModelAdditions& additions);

// Throws DataError if the library could read outside of one of the model's character maps.
void expect_sound_character_maps(std::string_view model);

}  // namespace tapehead

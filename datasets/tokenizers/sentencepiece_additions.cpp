#include "datasets/tokenizers/sentencepiece_additions.hpp"

#include <cstdint>

#include "datasets/tokenizers/serialized_fields.hpp"

namespace tapehead {

namespace {

// SentencePiece leaves the numbers from 200 on to others; 1000 is the checksum of a saved model.
enum class AddedField { target_pieces = 1001, language_names = 1002, further_entry = 1003 };

std::uint64_t field_number(AddedField field) { return static_cast<std::uint64_t>(field); }

}  // namespace

ModelAdditions additions_of(std::string_view model) {
  ModelAdditions additions;
  while (!model.empty()) {
    const SerializedField field = take_field(model);
    switch (static_cast<AddedField>(field.number)) {
      case AddedField::target_pieces:
        additions.target_pieces = static_cast<Index>(field.value);
        break;
      case AddedField::language_names:
        additions.language_names = field.value != 0;
        break;
      case AddedField::further_entry:
        additions.further_entries.emplace_back(field.content);
        break;
    }
  }
  return additions;
}

std::string with_additions(std::string_view model, const ModelAdditions& additions) {
  std::string result;
  while (!model.empty()) {
    const SerializedField field = take_field(model);
    if (field.number < field_number(AddedField::target_pieces) ||
        field.number > field_number(AddedField::further_entry)) {
      result += field.whole;
    }
  }
  if (additions.target_pieces) {
    result += serialized_field(field_number(AddedField::target_pieces),
                               static_cast<std::uint64_t>(*additions.target_pieces));
  }
  if (additions.language_names) {
    result += serialized_field(field_number(AddedField::language_names), 1);
  }
  for (const std::string& entry : additions.further_entries) {
    result += serialized_field(field_number(AddedField::further_entry), entry);
  }
  return result;
}

}  // namespace tapehead

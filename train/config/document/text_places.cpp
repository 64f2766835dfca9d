#include "train/config/document/text_places.hpp"

#include <algorithm>

namespace tapehead {

TextPlaces::TextPlaces(std::string_view text) : text_(text), starts_{0} {
  characters_.reserve(text.size() + 1);
  std::uint32_t characters = 0;
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    characters_.push_back(characters);
    const bool begins = (static_cast<unsigned char>(text[byte]) & 0xC0U) != 0x80U;
    characters += begins ? 1 : 0;
    if (text[byte] == '\n') {
      starts_.push_back(byte + 1);
    }
  }
  characters_.push_back(characters);
}

Mark TextPlaces::at(std::size_t byte) const {
  byte = std::min(byte, text_.size());
  const auto next = std::ranges::upper_bound(starts_, byte);
  return {next - starts_.begin(), characters_[byte] - characters_[*(next - 1)] + Index{1}};
}

std::string_view TextPlaces::line(Index number) const {
  if (number < 1 || number > std::ssize(starts_)) {
    return {};
  }
  const std::string_view rest = text_.substr(begin_of(number));
  std::string_view line = rest.substr(0, rest.find('\n'));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace tapehead

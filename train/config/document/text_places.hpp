// Where the bytes of a text stand, in lines and characters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "train/config/document/document.hpp"

namespace tapehead {

class TextPlaces {
 public:
  explicit TextPlaces(std::string_view text);

  // Of the byte, or of the end where the text has no such byte.
  Mark at(std::size_t byte) const;

  // A line by its number from 1, without what ends it; empty beyond the last.
  std::string_view line(Index number) const;

  // The first byte of a line that there is.
  std::size_t begin_of(Index number) const { return starts_[static_cast<std::size_t>(number - 1)]; }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;        // of the lines
  std::vector<std::uint32_t> characters_;  // that begin before each byte, and before the end
};

}  // namespace tapehead

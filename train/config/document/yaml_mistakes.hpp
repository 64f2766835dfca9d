// Explains mistakes in YAML. yaml-cpp reports where its grammar failed. The functions here find
// where the mistake is, and say what to write instead.
#pragma once

#include "train/config/document/document.hpp"

namespace tapehead {

// Converts the number of a byte in a text to a line and a column.
class TextPlaces {
 public:
  explicit TextPlaces(std::string_view text);

  // The place of a byte, or of the end if the text has no such byte.
  Mark at(std::size_t byte) const;

  // A line by its number from 1, without its line end; empty after the last line.
  std::string_view line(Index number) const;

  // The first byte of a line, which must exist.
  std::size_t begin_of(Index number) const { return starts_[static_cast<std::size_t>(number - 1)]; }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;        // of the lines
  std::vector<std::uint32_t> characters_;  // how many begin before each byte and the end
};

struct YamlMistake {
  Mark mark;
  std::string problem;
};

// Explains yaml-cpp's message about this byte of the text, or its end. Messages that are not known
// to be misleading are left unchanged.
YamlMistake explain_yaml(std::string_view message, std::size_t byte, std::string_view text,
                         const TextPlaces& places);

// Explains unquoted text that begins at this byte and continues on another line: YAML treats a line
// without a colon as a continuation of the value above it.
YamlMistake explain_second_line(std::size_t byte, std::string_view text, const TextPlaces& places);

}  // namespace tapehead

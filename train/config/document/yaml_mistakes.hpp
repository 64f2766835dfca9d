// Explains mistakes in YAML. yaml-cpp says where it noticed the mistake, in terms of its grammar.
// These functions say where the mistake is, and what to write instead.
#pragma once

#include <string>
#include <string_view>

#include "train/config/document/document.hpp"
#include "train/config/document/text_places.hpp"

namespace tapehead {

struct YamlMistake {
  Mark mark;
  std::string problem;
};

// Explains yaml-cpp's message about this byte of the text. Messages that are not known to be
// misleading are left unchanged.
YamlMistake explain_yaml(std::string_view message, std::size_t byte, std::string_view text,
                         const TextPlaces& places);

// Explains unquoted text that begins at this byte and continues on another line: YAML treats a line
// without a colon as a continuation of the value above it.
YamlMistake explain_second_line(std::size_t byte, std::string_view text, const TextPlaces& places);

}  // namespace tapehead

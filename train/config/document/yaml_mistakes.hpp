// Explains mistakes in YAML. yaml-cpp reports where its grammar failed. The functions here find
// where the mistake is, and say what to write instead.
#pragma once

#include "train/config/document/document.hpp"

namespace tapehead {

struct YamlMistake {
  Mark mark;
  std::string problem;
};

// Explains yaml-cpp's message about this byte of the text, or its end. Messages that are not known
// to be misleading are left unchanged.
YamlMistake explain_yaml(std::string_view message, std::size_t byte, const TextPlaces& places);

// Explains unquoted text that begins at this byte and continues on another line: YAML treats a line
// without a colon as a continuation of the value above it.
YamlMistake explain_second_line(std::size_t byte, const TextPlaces& places);

// Explains a line that has no colon; nothing if it has one. If it is the last one of a mapping,
// yaml-cpp takes it for a name whose value is null.
std::optional<YamlMistake> explain_missing_colon(Index line, const TextPlaces& places);

}  // namespace tapehead

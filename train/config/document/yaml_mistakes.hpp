// What is wrong with a text that yaml-cpp refuses: yaml-cpp says where it noticed, and in the words
// of its grammar; here it is said where the mistake is, and what to write.
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

// Of yaml-cpp's message about this byte of the text. What is not known to be misleading stays as it
// is.
YamlMistake explain_yaml(std::string_view message, std::size_t byte, std::string_view text,
                         const TextPlaces& places);

// Of text without quotes that begins at this byte and goes on in another line: YAML takes a line
// without a colon for more of what stands above it.
YamlMistake explain_second_line(std::size_t byte, std::string_view text, const TextPlaces& places);

}  // namespace tapehead

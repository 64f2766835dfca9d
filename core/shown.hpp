// Text from outside, as a message may show it: nothing in it reaches the terminal as a command.
#pragma once

#include <string>
#include <string_view>

#include "core/types.hpp"

namespace tapehead {

constexpr Index shown_characters = 200;  // of one piece of text

// The text in one line. Control characters, characters that change the direction or end the line,
// and bytes that are not UTF-8 become escapes such as \n and \x1b. Of what is longer than `most`
// characters the middle becomes " ... ". Keys, values, tokens, names of files: whatever was not
// written by tapehead itself goes through here on its way into a message.
std::string shown(std::string_view text, Index most = shown_characters);

// A whole message, as the last door before the terminal: what has line breaks keeps them, all else
// that shown() escapes is escaped here too, and no line is longer than 4000 characters.
std::string printable(std::string_view message);

// Whether the text holds a character that shown() would escape.
bool has_hidden_characters(std::string_view text);

}  // namespace tapehead

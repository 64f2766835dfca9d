// Text from outside as messages may show it, so that no part of it controls the terminal; and the
// message of an error, for people.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// The text in one line. Control characters, characters that change the direction or end the line,
// and bytes that are not UTF-8 become escapes such as \n and \x1b. If the text is longer than
// `most` characters, its middle becomes " ... ". Everything that tapehead did not write itself
// (keys, values, tokens, names of files) passes through here into a message.
std::string shown(std::string_view text, Index most = 200);

// The last step before a whole message is printed: it keeps its line breaks, but everything else
// that shown() escapes is escaped here too, and lines are cut to 4000 characters.
std::string printable(std::string_view message);

// Whether the text holds a character that shown() would escape.
bool has_hidden_characters(std::string_view text);

// Plain words for lack of memory and for errors of std::filesystem, with the path if the error
// knows it; the message of any other error as it is.
std::string plain_message(const std::exception& error);

}  // namespace tapehead

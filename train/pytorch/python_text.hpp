// Text of ours in Python's notation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

std::string python_string(std::string_view text);  // "a\"b", with its quotes

// For a docstring, where nothing in it ends the docstring or is an escape.
std::string docstring_text(std::string_view text);

// The words with blanks between them, in lines of at most so many columns if words are not longer.
// Lines after the first are indented.
std::string wrapped(const std::vector<std::string>& words, std::size_t columns, std::size_t indent);

// Whether the code mentions the name as a word of its own, and not as a member.
bool mentions(std::string_view code, std::string_view name);

}  // namespace tapehead

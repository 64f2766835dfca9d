// Parts of a generated program: text with conditions and places, which the options of a model
// decide and fill.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tapehead {

// What conditions and places stand for. Both are declared with a value, so that a misspelt name is
// found.
struct PartValues {
  std::map<std::string, bool, std::less<>> conditions;
  std::map<std::string, std::string, std::less<>> places;
};

// The lines between `#if a and not b or c` and `#end` stay if the condition holds; after `#else`,
// if it does not. `$name` becomes the value of the place. A value of several lines is indented like
// its place; a line that has only a place without text goes. Throws logic_error for a name that is
// not declared.
std::string fill_part(std::string_view part, const PartValues& values);

}  // namespace tapehead

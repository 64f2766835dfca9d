#include "train/pytorch/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace tapehead {

namespace {

template <class Value>
const Value& declared(const std::map<std::string, Value, std::less<>>& values,
                      std::string_view name) {
  const auto found = values.find(name);
  if (found == values.end()) {
    throw std::logic_error(fmt::format("a part of a program: {} is not declared", name));
  }
  return found->second;
}

// Alternatives of conjunctions: "a and not b or c".
bool holds(const std::string& condition, const PartValues& values) {
  std::istringstream words(condition);
  bool any = false;
  bool all = true;
  bool wanted = true;
  for (std::string word; words >> word;) {
    if (word == "or") {
      any = any || all;
      all = true;
    } else if (word == "not") {
      wanted = false;
    } else if (word != "and") {
      all = all && declared(values.conditions, word) == wanted;
      wanted = true;
    }
  }
  return any || all;
}

std::string indented(const std::string& text, std::size_t blanks) {
  std::string result;
  for (const char letter : text) {
    result += letter;
    if (letter == '\n') {
      result.append(blanks, ' ');
    }
  }
  return result;
}

// The line with its places filled.
std::string filled(std::string_view line, const PartValues& values) {
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  std::string result;
  while (!line.empty()) {
    const std::size_t place = std::min(line.find('$'), line.size());
    result += line.substr(0, place);
    line.remove_prefix(place);
    if (!line.empty()) {
      const std::size_t end =
          std::min(line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 1), line.size());
      result += indented(declared(values.places, line.substr(1, end - 1)), blanks);
      line.remove_prefix(end);
    }
  }
  return result;
}

}  // namespace

std::string fill_part(std::string_view part, const PartValues& values) {
  std::string result;
  std::vector<bool> stays{true};  // of each condition that is open
  std::istringstream lines{std::string(part)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view text = std::string_view(line).substr(first);
    if (text.starts_with("#if ")) {
      stays.push_back(holds(std::string(text.substr(4)), values));
    } else if (text == "#else") {
      stays.back() = !stays.back();
    } else if (text == "#end") {
      stays.pop_back();
    } else if (std::ranges::find(stays, false) == stays.end()) {
      const std::string made = filled(line, values);
      const bool only_blanks = made.find_first_not_of(' ') == std::string::npos;
      if (!only_blanks || text.empty()) {
        result += made + '\n';
      }
    }
  }
  return result;
}

}  // namespace tapehead

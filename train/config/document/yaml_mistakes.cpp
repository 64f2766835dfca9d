#include "train/config/document/yaml_mistakes.hpp"

#include "core/text.hpp"

namespace tapehead {
namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view tab_problem = "a tab in the indentation; YAML allows spaces only";

bool contains(std::string_view text, auto part) {
  return text.find(part) != std::string_view::npos;
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(blanks), line.size());
}

bool says_nothing(std::string_view line) {
  return trimmed(line).empty() || trimmed(line).starts_with('#');
}

// Whether a colon in the text ends a key: a blank or the end of the text follows the colon.
bool has_key(std::string_view text) {
  for (std::size_t colon = text.find(':'); colon < text.size(); colon = text.find(':', colon + 1)) {
    if (colon + 1 == text.size() || contains(blanks, text[colon + 1])) {
      return true;
    }
  }
  return false;
}

// The last line before `line` that has more than blanks and a comment, or 0.
Index line_before(Index line, const TextPlaces& places) {
  do {
    --line;
  } while (line > 0 && says_nothing(places.line(line)));
  return line;
}

// The brackets that are open before byte `end`, as byte numbers. Brackets in quotes and in comments
// do not count. A quote or a comment opens only at the beginning of a word.
std::vector<std::size_t> open_brackets(std::string_view text, std::size_t end) {
  std::vector<std::size_t> open;
  char quote = '\0';
  for (std::size_t i = 0; i < std::min(end, text.size()); ++i) {
    const char c = text[i];
    const bool begins_word = i == 0 || contains(" \t\r\n[{,:", text[i - 1]);
    if (quote != '\0') {
      i += quote == '"' && c == '\\' ? 1 : 0;
      quote = c == quote ? '\0' : quote;
    } else if (begins_word && (c == '"' || c == '\'')) {
      quote = c;
    } else if (begins_word && c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '[' || c == '{') {
      open.push_back(i);
    } else if ((c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    }
  }
  return open;
}

char closing(char bracket) { return bracket == '[' ? ']' : '}'; }

class Explanation {
 public:
  Explanation(std::size_t byte, const TextPlaces& places)
      : byte_(byte), text_(places.text()), places_(places), mark_(places.at(byte)) {}

  // A colon where no key can end: it is the second colon of its line, or its key begins in an
  // earlier line.
  YamlMistake colon() const {
    const std::string_view before = before_in_line();
    if (const std::size_t tab = before.find('\t'); tab < indentation(before)) {
      return {places_.at(places_.begin_of(mark_.line) + tab), std::string(tab_problem)};
    }
    if (has_key(before)) {
      return here(
          "a second colon in the line; put text that contains a colon in quotes, and each option "
          "on its own line");
    }
    const Index above = line_before(mark_.line, places_);
    if (above == 0) {
      return here("a colon without a name before it");
    }
    return has_key(places_.line(above)) ? too_deep(mark_.line, above) : without_colon(above);
  }

  YamlMistake second_line() const {
    const std::vector<std::size_t> open = open_brackets(text_, byte_);
    if (!open.empty()) {
      return open_brackets(text_, text_.size()).empty()
                 ? here("a comma is missing at the end of the line")
                 : unclosed(open.back());
    }
    Index line = mark_.line + 1;
    while (says_nothing(places_.line(line))) {
      ++line;
    }
    return has_key(places_.line(line)) ? too_deep(line, mark_.line) : without_colon(line);
  }

  // A word that ends the options of a section, but is not an option.
  YamlMistake end_of_options() const {
    if (!trimmed(before_in_line()).empty()) {
      return here(
          "unexpected text after the end of a value; put quotes around a value that contains "
          "quotes");
    }
    const std::string_view line = places_.line(mark_.line);
    if (trimmed(line).starts_with("- ")) {
      return here("a list item among options; write a list as `name: [1, 2]`");
    }
    if (!has_key(line)) {
      return without_colon(mark_.line);
    }
    const Index above = line_before(mark_.line, places_);
    return above > 0 && indentation(line) > indentation(places_.line(above))
               ? too_deep(mark_.line, above)
               : here("its indentation matches none of the lines above it");
  }

  // A closing bracket without an opening bracket, or of the wrong kind.
  YamlMistake closing_bracket() const {
    const std::vector<std::size_t> open = open_brackets(text_, byte_);
    const char found = byte_ < text_.size() ? text_[byte_] : ' ';
    return open.empty()
               ? here(fmt::format("`{}` without its `{}`", found, found == ']' ? '[' : '{'))
               : unclosed(open.back());
  }

  // A list or mapping in brackets that does not continue correctly.
  YamlMistake end_of_brackets() const {
    if (const auto at_end = open_brackets(text_, text_.size()); !at_end.empty()) {
      return unclosed(at_end.back());
    }
    const std::vector<std::size_t> open = open_brackets(text_, byte_);
    return here(open.empty()
                    ? "a comma or a closing bracket is missing here"
                    : fmt::format("`,` or `{}` is missing here", closing(text_[open.back()])));
  }

  // Blames the first of several successive lines without a colon.
  YamlMistake without_colon(Index line) const {
    for (Index above = line_before(line, places_); above > 0 && !has_key(places_.line(above));
         above = line_before(above, places_)) {
      line = above;
    }
    const std::string_view text = trimmed(places_.line(line));
    return {begin_of(line),
            fmt::format("`{}` has no {}; an option is written `name: value`", shown(text),
                        contains(text, ':') ? "space after its colon" : "colon")};
  }

  YamlMistake here(std::string_view problem) const { return {mark_, std::string(problem)}; }

 private:
  std::string_view before_in_line() const {
    const std::size_t begin = places_.begin_of(mark_.line);
    return text_.substr(begin, byte_ - begin);
  }

  Mark begin_of(Index line) const {
    return places_.at(places_.begin_of(line) + indentation(places_.line(line)));
  }

  YamlMistake too_deep(Index line, Index above) const {
    return {begin_of(line),
            fmt::format("indented deeper than line {}, so YAML reads it as part of the value there",
                        above)};
  }

  YamlMistake unclosed(std::size_t bracket) const {
    return {places_.at(bracket),
            fmt::format("`{}` without its `{}`", text_[bracket], closing(text_[bracket]))};
  }

  std::size_t byte_;
  std::string_view text_;
  const TextPlaces& places_;
  Mark mark_;
};

}  // namespace

YamlMistake explain_second_line(std::size_t byte, const TextPlaces& places) {
  return Explanation(byte, places).second_line();
}

std::optional<YamlMistake> explain_missing_colon(Index line, const TextPlaces& places) {
  return has_key(places.line(line))
             ? std::nullopt
             : std::optional(Explanation(places.begin_of(line), places).without_colon(line));
}

YamlMistake explain_yaml(std::string_view message, std::size_t byte, const TextPlaces& places) {
  const Explanation explain(byte, places);
  if (message == "illegal map value") {
    return explain.colon();
  }
  if (message == "end of map not found") {
    return explain.end_of_options();
  }
  if (contains(message, "flow not found")) {
    return explain.end_of_brackets();
  }
  if (message == "illegal flow end") {
    return explain.closing_bracket();
  }
  if (message == "illegal block entry") {
    return explain.here("a list item needs a line of its own; write a list in one line as [1, 2]");
  }
  if (message == "unknown token") {
    return explain.here(fmt::format("text that begins with `{}` needs quotes",
                                    shown(places.text().substr(byte, 1))));
  }
  if (contains(message, "tab")) {
    return explain.here(tab_problem);
  }
  if (contains(message, "anchor") || contains(message, "alias") || contains(message, "tag")) {
    return explain.here("anchors, aliases and tags are not used in configs; write values out");
  }
  return explain.here(shown(message));
}

}  // namespace tapehead

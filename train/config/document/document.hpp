// Parses a config file into a tree of mappings, sequences and scalars with their places in the
// file. Also parses numbers as people write them, such as 1e-4 and 1_000.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

struct Mark {
  Index line = 1;    // from 1
  Index column = 1;  // from 1, in characters
};

// Converts the number of a byte in a text to a line and a column.
class TextPlaces {
 public:
  explicit TextPlaces(std::string_view text);

  std::string_view text() const { return text_; }

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

struct ConfigEntry;

struct ConfigNode {
  enum class Kind { null, scalar, sequence, mapping };
  Kind kind = Kind::null;
  Mark mark;                         // a null has the place of its key
  std::string text;                  // of a scalar, without quotes
  std::vector<ConfigEntry> entries;  // of a mapping, in the file's order, no duplicate keys
  std::vector<ConfigNode> items;     // of a sequence
};

struct ConfigEntry {
  std::string key;
  Mark mark;
  ConfigNode value;
};

ConfigNode make_node(ConfigNode::Kind kind, Mark mark, std::string text = {});

constexpr Index document_depth = 16;  // deeper nesting is rejected

// The expected content of a document, for messages about an empty or wrong document.
struct DocumentKind {
  std::string_view least = "the shortest config is `task: {name: copy}`";
  std::string_view parts = "sections (task, model, training, ...)";
};

// Reads a whole document: as JSON if it is valid JSON or `file` ends in .json, otherwise as YAML.
// Throws ConfigError "file:line:column: ..." for text in neither notation, a duplicate key, YAML
// features that configs do not use (anchors, tags, several documents), and a file that is empty or
// not a mapping.
ConfigNode parse_document(std::string_view text, std::string_view file,
                          const DocumentKind& kind = {});

// The parsers of the two notations. The text is UTF-8 without a byte order mark. Only
// parse_document checks for duplicate keys. A document without content gives a null node.
ConfigNode parse_yaml(std::string_view text, std::string_view file);
ConfigNode parse_json(std::string_view text, std::string_view file);

// Throws ConfigError if the text is not UTF-8 or has control characters other than \t, \n and \r\n.
void check_characters(std::string_view text, std::string_view file);

[[noreturn]] void fail_at(std::string_view file, Mark mark, std::string_view problem);

// The text with ASCII letters in lower case.
std::string lowered(std::string_view text);

// The parsers of numbers throw ConfigError with the problem alone ("not a whole number"), without
// the place. A sign, `_` between digits and an exponent are accepted. 010 (8 or 10?), nan, inf and
// hexadecimal numbers are rejected.
double parse_number(std::string_view text);
// 2e3 and 4.0 are whole numbers. A number with a point or an exponent may be at most 2^53, because
// not all larger doubles are exact.
Index parse_whole(std::string_view text);
std::uint64_t parse_unsigned(std::string_view text);

}  // namespace tapehead

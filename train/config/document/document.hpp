// A config file as a small tree of mappings, sequences and scalars that know their places in the
// file; numbers as people write them in one, such as 1e-4 and 1_000.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

struct Mark {
  Index line = 1;    // from 1
  Index column = 1;  // from 1, in characters
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

// The purpose of a document, for messages about an empty one.
struct DocumentKind {
  std::string_view least = "the shortest config is `task: {name: copy}`";
  std::string_view parts = "sections (task, model, training, ...)";
};

// Reads a whole document: as JSON if it is valid JSON or `file` ends in .json, otherwise as YAML.
// Throws ConfigError "file:line:column: ..." for text that is neither, for a duplicate key, for
// YAML features that configs do not use (anchors, tags, several documents), and for a file that is
// empty or not a mapping.
ConfigNode parse_document(std::string_view text, std::string_view file,
                          const DocumentKind& kind = {});

// The parsers of the two notations. They take UTF-8 without a byte order mark. They do not check
// for duplicate keys; parse_document does. A document without content is null.
ConfigNode parse_yaml(std::string_view text, std::string_view file);
ConfigNode parse_json(std::string_view text, std::string_view file);

// Rejects text that is not UTF-8, and control characters.
void check_characters(std::string_view text, std::string_view file);

[[noreturn]] void fail_at(std::string_view file, Mark mark, std::string_view problem);

// The text with the letters of ASCII in lower case.
std::string lowered(std::string_view text);

// Each throws ConfigError that says only what is wrong ("not a whole number"). A sign, `_` between
// digits and an exponent are accepted. 010 is rejected (8 or 10?), and so are nan, inf and
// hexadecimal numbers.
double parse_number(std::string_view text);
// 2e3 and 4.0 are whole numbers. With a point or an exponent they are accepted only up to 2^53, up
// to which doubles are exact.
Index parse_whole(std::string_view text);
std::uint64_t parse_unsigned(std::string_view text);

}  // namespace tapehead

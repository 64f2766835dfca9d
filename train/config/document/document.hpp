// A config file as a small tree of mappings, sequences and scalars that know their places in the
// file.
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

}  // namespace tapehead

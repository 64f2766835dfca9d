// What YAML and JSON documents have in common: the check of the text, the choice of the reader, and
// the keys that stand twice.
#include "train/config/document.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/errors.hpp"

namespace tapehead {
namespace {

// The bytes of the first character, 0 if it is not well formed (Unicode Standard, table 3-7).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < count; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return count;
}

void check_keys(const Node& node, std::string_view file) {
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const Entry& entry = node.entries[i];
    for (std::size_t j = 0; j < i; ++j) {
      if (node.entries[j].key == entry.key) {
        fail_at(file, entry.mark,
                fmt::format("{}: written twice; the first one is in line {}", entry.key,
                            node.entries[j].mark.line));
      }
    }
    check_keys(entry.value, file);
  }
}

}  // namespace

Node make_node(Node::Kind kind, Mark mark, std::string text) {
  Node node;
  node.kind = kind;
  node.mark = mark;
  node.text = std::move(text);
  return node;
}

void check_characters(std::string_view text, std::string_view file) {
  Mark mark;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) fail_at(file, mark, "not UTF-8 text");
    const auto first = static_cast<unsigned char>(text.front());
    if (first == '\n') {
      mark = {mark.line + 1, 1};
    } else if (first < 0x20 && first != '\t' && first != '\r') {
      // At some of these yaml-cpp would stop reading.
      fail_at(file, mark, fmt::format("a control character (U+{:04X})", first));
    } else {
      ++mark.column;
    }
    text.remove_prefix(bytes);
  }
}

void fail_at(std::string_view file, Mark mark, std::string_view problem) {
  throw ConfigError(fmt::format("{}:{}:{}: {}", file, mark.line, mark.column, problem));
}

Node parse_document(std::string_view text, std::string_view file) {
  constexpr std::size_t largest = 1 << 20;
  if (text.size() > largest) {
    throw ConfigError(fmt::format("{}: larger than 1 MiB, so not a config", file));
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  check_characters(text, file);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw ConfigError(fmt::format("{}: empty; the least config is `task: {{name: copy}}`", file));
  }
  const bool json = file.ends_with(".json") || nlohmann::json::accept(text);
  Node root = json ? parse_json(text, file) : parse_yaml(text, file);
  if (root.kind == Node::Kind::null) {
    throw ConfigError(
        fmt::format("{}: says nothing; the least config is `task: {{name: copy}}`", file));
  }
  if (root.kind != Node::Kind::mapping) {
    fail_at(file, root.mark, "not a mapping of sections (task, model, training, ...)");
  }
  check_keys(root, file);
  return root;
}

}  // namespace tapehead

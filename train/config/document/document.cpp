// The common part of YAML and JSON documents: checks the text, chooses the parser, and finds
// duplicate keys.
#include "train/config/document/document.hpp"

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/shown.hpp"
#include "core/text.hpp"

namespace tapehead {
namespace {

void check_keys(const ConfigNode& node, std::string_view file) {
  std::unordered_map<std::string_view, Index> lines;
  for (const ConfigEntry& entry : node.entries) {
    const auto [first, fresh] = lines.try_emplace(entry.key, entry.mark.line);
    if (!fresh) {
      fail_at(file, entry.mark,
              fmt::format("{}: written twice; the first one is in line {}", shown(entry.key),
                          first->second));
    }
    check_keys(entry.value, file);
  }
  for (const ConfigNode& item : node.items) {
    check_keys(item, file);
  }
}

}  // namespace

ConfigNode make_node(ConfigNode::Kind kind, Mark mark, std::string text) {
  ConfigNode node;
  node.kind = kind;
  node.mark = mark;
  node.text = std::move(text);
  return node;
}

void check_characters(std::string_view text, std::string_view file) {
  Mark mark;
  while (!text.empty()) {
    const std::size_t bytes = utf8_length(text);
    if (bytes == 0) {
      fail_at(file, mark, "not UTF-8 text");
    }
    const auto first = static_cast<unsigned char>(text.front());
    if (first == '\n') {
      mark = {mark.line + 1, 1};
    } else if (first < 0x20 && first != '\t' && first != '\r') {
      // At some of these characters yaml-cpp would stop reading.
      fail_at(file, mark, fmt::format("a control character (U+{:04X})", first));
    } else {
      ++mark.column;
    }
    text.remove_prefix(bytes);
  }
}

void fail_at(std::string_view file, Mark mark, std::string_view problem) {
  throw ConfigError(fmt::format("{}:{}:{}: {}", shown(file), mark.line, mark.column, problem));
}

ConfigNode parse_document(std::string_view text, std::string_view file, const DocumentKind& kind) {
  constexpr std::size_t largest = 1 << 20;
  if (text.size() > largest) {
    throw ConfigError(fmt::format("{}: larger than 1 MiB, so not a config", shown(file)));
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  check_characters(text, file);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw ConfigError(fmt::format("{}: empty; {}", shown(file), kind.least));
  }
  const bool json = file.ends_with(".json") || nlohmann::json::accept(text);
  ConfigNode root = json ? parse_json(text, file) : parse_yaml(text, file);
  if (root.kind == ConfigNode::Kind::null) {
    throw ConfigError(fmt::format("{}: says nothing; {}", shown(file), kind.least));
  }
  if (root.kind != ConfigNode::Kind::mapping) {
    fail_at(file, root.mark, fmt::format("not a mapping of {}", kind.parts));
  }
  check_keys(root, file);
  return root;
}

}  // namespace tapehead

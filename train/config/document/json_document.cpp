// The JSON parser. It keeps track of places; nlohmann-json parses each token with its escapes.

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "train/config/document/document.hpp"

namespace tapehead {
namespace {

class JsonReader {
 public:
  JsonReader(std::string_view text, std::string_view file)
      : rest_(text), file_(file), places_(text) {}

  ConfigNode document() {
    ConfigNode root = value(0);
    skip_space();
    if (!rest_.empty()) {
      fail("unexpected text after the end");
    }
    return root;
  }

 private:
  ConfigNode value(Index depth) {
    skip_space();
    if (depth == document_depth) {
      fail("nested too deeply");
    }
    if (next() == '{') {
      return mapping(depth);
    }
    const Mark mark = place();
    if (next() == '[') {
      ConfigNode node = make_node(ConfigNode::Kind::sequence, mark);
      items(']', [&] { node.items.push_back(value(depth + 1)); });
      return node;
    }
    const bool quoted = next() == '"';
    std::string text = quoted ? string() : word();
    return !quoted && text == "null" ? make_node(ConfigNode::Kind::null, mark)
                                     : make_node(ConfigNode::Kind::scalar, mark, std::move(text));
  }

  ConfigNode mapping(Index depth) {
    ConfigNode node = make_node(ConfigNode::Kind::mapping, place());
    items('}', [&] {
      const Mark mark = place();
      if (next() != '"') {
        fail("expected a name in double quotes");
      }
      std::string key = string();
      skip_space();
      if (next() != ':') {
        fail("expected `:`");
      }
      rest_.remove_prefix(1);
      ConfigNode member = value(depth + 1);
      if (member.kind == ConfigNode::Kind::null) {
        member.mark = mark;
      }
      node.entries.push_back({std::move(key), mark, std::move(member)});
    });
    return node;
  }

  // The items between an opening bracket and `close`, separated by commas.
  void items(char close, const auto& item) {
    rest_.remove_prefix(1);
    skip_space();
    for (bool first = true; next() != close; first = false) {
      if (!first && next() != ',') {
        fail(fmt::format("expected `,` or `{}`", close));
      }
      rest_.remove_prefix(first ? 0 : 1);
      skip_space();
      item();
      skip_space();
    }
    rest_.remove_prefix(1);
  }

  std::string string() {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') {
      end += rest_[end] == '\\' ? 2 : 1;
    }
    if (end >= rest_.size()) {
      fail("text without its closing quote");
    }
    const auto parsed = nlohmann::json::parse(rest_.substr(0, end + 1), nullptr, false);
    if (parsed.is_discarded()) {
      fail("text with an escape or a line break that JSON does not allow");
    }
    rest_.remove_prefix(end + 1);
    return parsed.get<std::string>();
  }

  std::string word() {
    const std::size_t end = std::min(rest_.find_first_of(" \t\r\n,:{}[]\""), rest_.size());
    if (end == 0) {
      fail(rest_.empty() ? "the text ends too early" : "expected a value");
    }
    std::string text(rest_.substr(0, end));
    if (!nlohmann::json::accept(text)) {
      fail(fmt::format("`{}` is not a JSON value (text needs double quotes)", shown(text)));
    }
    rest_.remove_prefix(end);
    return text;
  }

  char next() const { return rest_.empty() ? '\0' : rest_.front(); }

  Mark place() const { return places_.at(places_.text().size() - rest_.size()); }

  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  [[noreturn]] void fail(std::string_view problem) const {
    fail_at(file_, place(), fmt::format("not JSON: {}", problem));
  }

  std::string_view rest_;
  std::string_view file_;
  TextPlaces places_;
};

}  // namespace

ConfigNode parse_json(std::string_view text, std::string_view file) {
  return JsonReader(text, file).document();
}

}  // namespace tapehead

// The YAML parser. It builds the tree from yaml-cpp's events, which keep duplicate keys and places.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "core/text.hpp"
#include "train/config/document/yaml_mistakes.hpp"

namespace tapehead {
namespace {

// The byte of the text that yaml-cpp means, counted from 0. A null mark is the end of the text.
std::size_t byte_of(const YAML::Mark& mark, const TextPlaces& places) {
  const std::size_t end = places.text().size();
  return mark.is_null() ? end : std::min(static_cast<std::size_t>(mark.pos), end);
}

// Whether the text closes a quote with which it begins. yaml-cpp accepts a text that ends inside
// quotes.
bool quote_closes(std::string_view text) {
  if (!text.starts_with('"') && !text.starts_with('\'')) {
    return true;
  }
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool doubled = quote == '\'' && text.substr(i).starts_with("''");
    const bool escaped = quote == '"' && text[i] == '\\';
    if (doubled || escaped) {
      ++i;
    } else if (text[i] == quote) {
      return true;
    }
  }
  return false;
}

[[noreturn]] void fail_not_yaml(std::string_view file, const YamlMistake& mistake) {
  fail_at(file, mistake.mark, "not YAML: " + mistake.problem);
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view file, const TextPlaces& places) : file_(file), places_(places) {}

  ConfigNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) {
      fail_at(file_, place(mark), "a second document; a config is one document");
    }
  }
  void OnDocumentEnd() override {}

  // yaml-cpp marks a missing value at the text that follows, so the mark of the key is used.
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    const bool has_key = !open_.empty() && open_.back().key;
    if (!has_key && places_.text().substr(byte_of(mark, places_)).starts_with(',')) {
      fail_at(file_, place(mark), "not YAML: a value is missing before this comma");
    }
    add(make_node(ConfigNode::Kind::null, has_key ? open_.back().key->mark : place(mark)));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    check_tag(mark, tag);
    const std::string_view written = places_.text().substr(byte_of(mark, places_));
    if (!quote_closes(written)) {
      fail_at(file_, place(mark), "not YAML: text without its closing quote");
    }
    if (tag == "?" && !written.starts_with(value)) {
      // Unquoted text that continues on the next line is hardly ever intended.
      fail_not_yaml(file_, explain_second_line(byte_of(mark, places_), places_));
    }
    add(make_node(ConfigNode::Kind::scalar, place(mark), value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    begin(ConfigNode::Kind::sequence, mark, tag);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value style) override {
    begin(ConfigNode::Kind::mapping, mark, tag);
    open_.back().in_lines = style == YAML::EmitterStyle::Block;
  }
  void OnMapEnd() override { end(); }
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    fail_at(file_, place(mark),
            fmt::format("&{}: anchors are not used in configs; write values out", shown(name)));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail_at(file_, place(mark), "aliases are not used in configs; write values out");
  }

 private:
  struct Open {
    ConfigNode node;
    std::optional<ConfigNode> key{};  // of a mapping whose next value is expected
    bool in_lines = false;            // a mapping without braces
  };

  Mark place(const YAML::Mark& mark) const { return places_.at(byte_of(mark, places_)); }

  // yaml-cpp gives "?" to plain scalars and collections, "!" to quoted scalars.
  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") {
      fail_at(file_, place(mark),
              shown(tag) + ": tags are not used in configs; an option has its own type");
    }
  }

  void begin(ConfigNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    check_tag(mark, tag);
    if (std::ssize(open_) == document_depth) {
      fail_at(file_, place(mark), "nested too deeply");
    }
    open_.push_back({.node = make_node(kind, place(mark))});
  }

  void end() {
    ConfigNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(ConfigNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == ConfigNode::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
      return;
    }
    if (!parent.key) {
      if (node.kind != ConfigNode::Kind::scalar) {
        fail_at(file_, node.mark, "a key must be a name");
      }
      if (node.text == "<<") {
        fail_at(file_, node.mark, "<<: merge keys are not used in configs");
      }
      parent.key = std::move(node);
      return;
    }
    if (parent.in_lines && node.kind == ConfigNode::Kind::null) {
      if (const auto mistake = explain_missing_colon(parent.key->mark.line, places_)) {
        fail_not_yaml(file_, *mistake);
      }
    }
    parent.node.entries.push_back({std::move(parent.key->text), parent.key->mark, std::move(node)});
    parent.key.reset();
  }

  std::string_view file_;
  const TextPlaces& places_;
  std::vector<Open> open_;
  ConfigNode root_;
  bool started_ = false;
};

}  // namespace

ConfigNode parse_yaml(std::string_view text, std::string_view file) {
  std::istringstream stream{std::string(text)};
  const TextPlaces places(text);
  TreeBuilder builder(file, places);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    fail_not_yaml(file, explain_yaml(error.msg, byte_of(error.mark, places), places));
  }
  return builder.take();
}

}  // namespace tapehead

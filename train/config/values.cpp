// Visitors of the member that a row points to: one overload for each type of member reads, writes
// or describes it.
#include "train/config/values.hpp"

#include <nlohmann/json.hpp>

#include "core/text.hpp"

namespace tapehead {

namespace {

void check_range(const Field& field, double value) {
  const bool low = value < field.minimum || (field.exclusive_minimum && value == field.minimum);
  const bool high = value > field.maximum || (field.exclusive_maximum && value == field.maximum);
  if (low || high) {
    throw ConfigError("out of range");
  }
}

// Converts the text of a scalar to a member.
struct Assign {
  const Field& field;
  std::string_view text;

  void operator()(bool* member) const {
    const std::string word = lowered(text);
    constexpr std::array<std::string_view, 3> yes{"true", "yes", "on"};
    constexpr std::array<std::string_view, 3> no{"false", "no", "off"};
    *member = std::ranges::find(yes, word) != yes.end();
    if (!*member && std::ranges::find(no, word) == no.end()) {
      throw ConfigError("neither true nor false");
    }
  }
  void operator()(Index* member) const {
    check_range(field, parse_number(text));  // first, so that 1e17 is "out of range"
    *member = parse_whole(text);
  }
  void operator()(double* member) const {
    *member = parse_number(text);
    check_range(field, *member);
  }
  void operator()(std::uint64_t* member) const { *member = parse_unsigned(text); }
  void operator()(std::string* member) const {
    if (has_hidden_characters(text)) {
      throw ConfigError("a control character in the text");
    }
    *member = text;
  }
  void operator()(std::vector<std::string>* member) const {
    member->clear();
    (*this)(&member->emplace_back());
  }
  template <class Value>
  void operator()(std::optional<Value>* member) const {
    if (text == "auto") {
      return member->reset();
    }
    Value value{};
    (*this)(&value);
    *member = value;
  }
  void operator()(const Choice& choice) const {
    const auto found = std::ranges::find(choice.names, text);
    if (found == choice.names.end()) {
      const auto near = nearest(text, choice.names);
      throw ConfigError(near ? fmt::format("no such choice, did you mean {}?", *near)
                             : "no such choice");
    }
    choice.set(static_cast<std::size_t>(found - choice.names.begin()));
  }
  void operator()(const Notation& notation) const { notation.set(text); }
  void operator()(const LayeredCell& list) const {
    list.clear();
    if (text == "auto") {
      return;
    }
    list.begin_layer();
    std::visit(*this, list.element->cell);
    list.append();
  }
};

std::string value_shown(std::string_view text) {
  constexpr Index most = 60;  // the value, its place and the allowed values fit in a line
  return text.empty() ? "empty text" : shown(text, most);
}

std::string list_text(const std::vector<std::string>& texts) {
  return fmt::format("[{}]", join(texts, ", "));
}

// "[1, [a, b]]" for a list, the text for a scalar.
std::string node_text(const ConfigNode& node) {
  if (node.kind != ConfigNode::Kind::sequence) {
    return value_shown(node.text);
  }
  return value_shown(list_text(mapped(node.items, node_text)));
}

std::string_view scalar_text(const ConfigNode& item) {
  if (item.kind != ConfigNode::Kind::scalar) {
    throw ConfigError("each item must be a single value");
  }
  return item.text;
}

// Reads a list over layers. If the option differs by head, an item may be a list over heads, and a
// list without nested lists holds the values of the heads. Throws ConfigError with the problem
// alone.
void read_list(const Row& row, const LayeredCell& list, const ConfigNode& node) {
  const auto is_list = [&](const ConfigNode& item) {
    return list.by_head && item.kind == ConfigNode::Kind::sequence;
  };
  const auto append_layer = [&](std::span<const ConfigNode> heads) {
    if (heads.empty()) {
      throw ConfigError("an empty list");
    }
    list.begin_layer();
    for (const ConfigNode& head : heads) {
      std::visit(Assign{row.field, scalar_text(head)}, list.element->cell);
      list.append();
    }
  };
  list.clear();
  if (node.items.empty() || (list.by_head && std::ranges::none_of(node.items, is_list))) {
    return append_layer(node.items);
  }
  for (const ConfigNode& item : node.items) {
    append_layer(is_list(item) ? std::span<const ConfigNode>(item.items) : std::span(&item, 1));
  }
}

[[noreturn]] void refuse(const Row& row, std::string_view problem, std::string_view value) {
  throw ConfigError("{} ({}; allowed: {})", problem, value, allowed_text(row));
}

struct Write {
  std::string operator()(const bool* member) const { return *member ? "true" : "false"; }
  std::string operator()(const std::integral auto* member) const {
    return fmt::format("{}", *member);
  }
  std::string operator()(const double* member) const { return number_text(*member); }
  std::string operator()(const std::string* member) const { return nlohmann::json(*member).dump(); }
  std::string operator()(const std::vector<std::string>* member) const {
    return list_text(mapped(*member, [&](const std::string& text) { return (*this)(&text); }));
  }
  template <class Value>
  std::string operator()(const std::optional<Value>* member) const {
    return *member ? (*this)(&**member) : "auto";
  }
  std::string operator()(const Choice& choice) const {
    return std::string(choice.names[choice.get()]);
  }
  std::string operator()(const Notation& notation) const { return notation.get(); }
  std::string operator()(const LayeredCell& list) const {
    return list.layers() == 0 ? "auto" : nested_values(list, *this, list_text);
  }
};

struct TypeText {
  std::string operator()(const bool*) const { return "true or false"; }
  std::string operator()(const std::integral auto*) const { return "whole number"; }
  std::string operator()(const double*) const { return "number"; }
  std::string operator()(const std::string*) const { return "text"; }
  std::string operator()(const std::vector<std::string>*) const { return "list of texts"; }
  std::string operator()(const std::optional<Index>*) const { return "whole number"; }
  std::string operator()(const std::optional<double>*) const { return "number"; }
  std::string operator()(const Choice&) const { return "choice"; }
  std::string operator()(const Notation& notation) const {
    return notation.also_number ? "whole number or text" : "text";
  }
  std::string operator()(const LayeredCell& list) const {
    return std::visit(*this, list.element->cell) +
           (list.by_head ? ", or a list over heads, or over layers of such lists"
                         : ", or a list over layers");
  }
};

}  // namespace

void read_value(const Row& row, const ConfigNode& node) {
  using Kind = ConfigNode::Kind;
  const auto* texts = std::get_if<std::vector<std::string>*>(&row.cell);
  const auto* list = std::get_if<LayeredCell>(&row.cell);
  if (node.kind == Kind::null && !is_optional(row)) {
    refuse(row, "has no value", "null");
  }
  if (node.kind == Kind::mapping ||
      (node.kind == Kind::sequence && texts == nullptr && list == nullptr)) {
    refuse(row, "takes one value", node.kind == Kind::mapping ? "a mapping" : "a list");
  }
  try {
    if (node.kind != Kind::sequence) {
      const std::string_view text = node.kind == Kind::null ? "auto" : std::string_view(node.text);
      std::visit(Assign{row.field, text}, row.cell);
    } else if (list != nullptr) {
      read_list(row, *list, node);
    } else {
      (*texts)->clear();
      for (const ConfigNode& item : node.items) {
        Assign{row.field, scalar_text(item)}(&(*texts)->emplace_back());
      }
    }
  } catch (const ConfigError& error) {
    refuse(row, error.what(), node_text(node));
  }
}

std::string write_value(const Row& row) { return std::visit(Write{}, row.cell); }

// YAML 1.1 parsers read 1e-09 as text, unless it has a point.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

std::string range_text(const Row& row) {
  if (const auto* list = std::get_if<LayeredCell>(&row.cell)) {
    return range_text({row.field, list->element->cell});
  }
  if (const auto* notation = std::get_if<Notation>(&row.cell)) {
    return std::string(notation->allowed);
  }
  if (const auto* choice = std::get_if<Choice>(&row.cell)) {
    return join(choice->names, ", ");
  }
  if (std::holds_alternative<std::uint64_t*>(row.cell)) {
    return fmt::format("0 to {}", std::numeric_limits<std::uint64_t>::max());
  }
  const Field& field = row.field;
  if (std::isinf(field.minimum) && std::isinf(field.maximum)) {
    return "";
  }
  const std::string range = (field.exclusive_minimum ? "above " : "") + number_text(field.minimum);
  if (std::isinf(field.maximum)) {
    return range + (field.exclusive_minimum ? "" : " or more");
  }
  const char* joint = field.exclusive_maximum ? " to below " : " to ";
  if (field.exclusive_minimum) {
    joint = field.exclusive_maximum ? ", below " : ", at most ";
  }
  return range + joint + number_text(field.maximum);
}

std::string values_text(const Row& row) {
  const std::string range = range_text(row);
  return std::holds_alternative<Choice>(row.cell)
             ? range
             : std::visit(TypeText{}, row.cell) + (range.empty() ? "" : ", " + range);
}

bool is_optional(const Row& row) {
  return std::holds_alternative<LayeredCell>(row.cell) ||
         std::holds_alternative<std::optional<Index>*>(row.cell) ||
         std::holds_alternative<std::optional<double>*>(row.cell);
}

std::string allowed_text(const Row& row) {
  return values_text(row) + (is_optional(row) ? ", or auto" : "");
}

std::string meaning_text(const Field& field) {
  std::string text(field.help);
  for (const When& when : field.when) {
    if (!when.option.empty()) {
      text += fmt::format("; only {} {}", when.is_default ? "without" : "with", when.option);
      text += when.choices().empty() ? "" : " " + join(when.choices(), ", ");
    }
  }
  return text;
}

}  // namespace tapehead

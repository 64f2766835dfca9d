// The options of a struct as rows: code that reads or describes options needs no templates.
#pragma once

#include <variant>

#include "core/fields.hpp"

namespace tapehead {

// A member whose type is an enumeration: one of several names.
struct Choice {
  std::span<const std::string_view> names;
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;
};

// A type with a text notation: `notation` describes it, `text()` writes, a constructor reads it.
struct Notation {
  std::string_view allowed;
  bool also_number = false;  // some texts are whole numbers
  std::function<std::string()> get;
  std::function<void(std::string_view)> set;  // throws ConfigError with the reason, not the option
};

struct Row;

// A member that may differ by layer and, if `by_head`, by head. Without layers it is auto.
struct LayeredCell {
  bool by_head = false;
  std::shared_ptr<Row> element;  // holds one value at a time, and has no field
  std::function<void()> clear;
  std::function<void()> begin_layer;
  std::function<void()> append;  // appends the element's value to the last layer
  std::function<Index()> layers;
  std::function<Index(Index layer)> heads;  // number of values of a layer
  std::function<void(Index layer, Index head)> to_element;
};

using Cell =
    std::variant<bool*, Index*, double*, std::uint64_t*, std::string*, std::optional<Index>*,
                 std::optional<double>*, std::vector<std::string>*, Choice, Notation, LayeredCell>;

struct Row {
  Field field;
  Cell cell;  // points into the struct
};

template <class Member>
Cell cell_of(Member& member) {
  if constexpr (requires { Member::notation; }) {
    constexpr bool also_number = requires { Member::also_number; };
    return Notation{.allowed = Member::notation,
                    .also_number = also_number,
                    .get = [&member] { return member.text(); },
                    .set = [&member](std::string_view text) { member = Member(text); }};
  } else if constexpr (std::is_enum_v<Member>) {
    return Choice{.names = EnumNames<Member>::names,
                  .get = [&member] { return static_cast<std::size_t>(member); },
                  .set = [&member](std::size_t number) { member = static_cast<Member>(number); }};
  } else {
    return &member;
  }
}

// A member that may differ by layer, but not by head.
template <class Value>
Cell cell_of(Layered<Value>& member) {
  const auto room = std::make_shared<Value>();
  return LayeredCell{
      .by_head = false,
      .element = std::make_shared<Row>(Row{.field = {}, .cell = cell_of(*room)}),
      .clear = [&member] { member.values.clear(); },
      .begin_layer = [] {},
      .append = [&member, room] { member.values.push_back(*room); },
      .layers = [&member] { return std::ssize(member.values); },
      .heads = [](Index) { return Index{1}; },
      .to_element = [&member, room](Index layer, Index) { *room = member.at(layer); }};
}

template <class Value>
Cell cell_of(Layered<ByHead<Value>>& member) {
  const auto room = std::make_shared<Value>();
  return LayeredCell{
      .by_head = true,
      .element = std::make_shared<Row>(Row{.field = {}, .cell = cell_of(*room)}),
      .clear = [&member] { member.values.clear(); },
      .begin_layer = [&member] { member.values.push_back({}); },
      .append = [&member, room] { member.values.back().values.push_back(*room); },
      .layers = [&member] { return std::ssize(member.values); },
      .heads = [&member](Index layer) { return std::ssize(member.at(layer).values); },
      .to_element = [&member, room](Index layer,
                                    Index head) { *room = member.at(layer).at(head); }};
}

// The rows of a struct that lists its fields (core/fields.hpp).
template <class Options>
std::vector<Row> rows_of(Options& options) {
  std::vector<Row> rows;
  options.fields([&](auto& member, const Field& field, std::string_view help) {
    Row& row = rows.emplace_back();
    row.field = field;
    row.field.help = help;
    row.cell = cell_of(member);
  });
  return rows;
}

// An option: its full name, its current value and its default.
struct OptionRow {
  std::string name;  // "section.option"
  Row row;
  Row standard;
};

// Appends the rows of a section to `all`, with their defaults and full names.
void add_option_rows(std::string_view section, const std::vector<Row>& rows,
                     const std::vector<Row>& defaults, std::vector<OptionRow>& all);

// The first option that differs from its default although it has no effect (Field::when).
// Conditions on options outside `rows` hold. An option that may differ by layer counts as default.
std::optional<Violation> option_without_effect(std::span<const OptionRow> rows);

}  // namespace tapehead

// Describes the options of a config section: the name, help text and valid range of each, and the
// conditions under which it has an effect. An option may differ by layer and by head.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// A condition for an option to have an effect: another option must have one of these values.
struct When {
  using Values = std::array<std::string_view, 6>;  // as written in a config; the rest is empty

  std::string_view option{};  // "section.option"; empty: no condition
  Values values{};
  // Without values: true requires the default of the other option, false any other value.
  bool is_default = false;

  static constexpr When with(std::string_view option, Values values = {}) {
    return {.option = option, .values = values};
  }
  static constexpr When without(std::string_view option) {
    return {.option = option, .is_default = true};
  }

  std::span<const std::string_view> choices() const {
    return {values.begin(), std::ranges::find(values, std::string_view())};
  }
};

// Makes Field::when. GCC 12 fails if a template has such an array in braces.
constexpr std::array<When, 2> only(const When& first, const When& second = {}) {
  return {first, second};
}

// Describes an option, apart from its type and default. A section lists its fields once, in
// `template <class Visitor> void fields(Visitor&& visit)`, with `visit(Field{...}, member)`.
struct Field {
  std::string_view name;
  std::string_view help;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::string_view unit = "";
  bool exclusive_minimum = false;  // for divisors: (0, ...
  bool exclusive_maximum = false;  // for probabilities: [0, 1)
  // Trained weights stay valid under any value. All other options of a model are part of the
  // identity of a checkpoint (meaning_of).
  bool keeps_meaning = false;
  // Cannot change when a training resumes: the option decided how the training began, or what its
  // checkpoints hold.
  bool kept_by_resume = false;
  // The option has an effect only if all conditions hold. Otherwise it must keep its default.
  std::array<When, 2> when{};
};

template <std::size_t count>
using ValueNames = std::array<std::string_view, count>;

// An enumeration that is used as an option has `constexpr ValueNames<n> value_names(Enum)`, with
// the names in the order of its values.
template <class Enum>
struct EnumNames {
  static constexpr auto names = value_names(Enum());
};

// One value for all layers, or one for each layer. Without values the option is auto.
template <class Value>
struct Layered {
  std::vector<Value> values;

  bool given() const { return !values.empty(); }
  const Value& at(Index layer) const {
    return values[values.size() == 1 ? 0 : static_cast<std::size_t>(layer)];
  }
  bool operator==(const Layered&) const = default;
};

// The value of one layer.
template <class Value>
using Plain = Value;

// One value for all heads of a layer, or one for each head.
template <class Value>
struct ByHead {
  std::vector<Value> values;

  const Value& at(Index head) const {
    return values[values.size() == 1 ? 0 : static_cast<std::size_t>(head)];
  }
  bool fits(Index heads) const {
    return values.size() == 1 || static_cast<Index>(values.size()) == heads;
  }
  bool operator==(const ByHead&) const = default;
};

// member_count initialises members with these types. AnyNumber also initialises an optional number.
struct AnyNumber {
  template <class Number>
    requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  operator Number() const;
};
struct AnyText {
  operator std::string() const;
};
struct AnyTexts {
  operator std::vector<std::string>() const;
};
struct AnyNotation {  // for types with a text notation of their own
  template <class Member>
    requires requires { Member::notation; }
  operator Member() const;
};

// The number of members of an aggregate: the largest number of initialisers that it takes.
template <class Aggregate, class... Known>
consteval std::size_t member_count() {
  if constexpr (requires { Aggregate{Known{}..., AnyNumber{}}; }) {
    return member_count<Aggregate, Known..., AnyNumber>();
  } else if constexpr (requires { Aggregate{Known{}..., AnyText{}}; }) {
    return member_count<Aggregate, Known..., AnyText>();
  } else if constexpr (requires { Aggregate{Known{}..., AnyTexts{}}; }) {
    return member_count<Aggregate, Known..., AnyTexts>();
  } else if constexpr (requires { Aggregate{Known{}..., AnyNotation{}}; }) {
    return member_count<Aggregate, Known..., AnyNotation>();
  } else {
    return sizeof...(Known);
  }
}

}  // namespace tapehead

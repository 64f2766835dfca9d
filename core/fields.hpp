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
  // If `values` is empty: true requires the default of the other option, false another value.
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

// Describes an option, apart from its type and default. A section lists its options once: its
// function `void fields(const auto& row)` calls row(member, field, help) for each option.
struct Field {
  std::string_view name;
  std::string_view help;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::string_view unit = "";
  bool exclusive_minimum = false;  // for divisors: (0, ...
  bool exclusive_maximum = false;  // for probabilities: [0, 1)
  // Trained weights stay valid under any value; not in a checkpoint's identity (meaning_of).
  bool keeps_meaning = false;
  // Cannot change on a resume: it decided how the training began, or what checkpoints hold.
  bool kept_by_resume = false;
  // Not 0: the option names a file, or a list of files, that a task reads. Files are listed by this
  // number, then in the order of the rows.
  int file_order = 0;
  // The option has an effect only if all conditions hold. Otherwise it must keep its default.
  std::array<When, 2> when{};
};

// The next functions make the Field of an option; its help follows as the last part of its row.

constexpr Field named(std::string_view name, double minimum = Field().minimum,
                      double maximum = Field().maximum, std::string_view unit = "") {
  return {.name = name, .help = "", .minimum = minimum, .maximum = maximum, .unit = unit};
}

constexpr Field above(Field field) {
  field.exclusive_minimum = true;
  return field;
}

constexpr Field below(Field field) {
  field.exclusive_maximum = true;
  return field;
}

// For an option that does not change what trained weights mean.
constexpr Field keeping_meaning(Field field) {
  field.keeps_meaning = true;
  return field;
}

constexpr Field kept_by_resume(Field field) {
  field.kept_by_resume = true;
  return field;
}

// For an option that names a file to read, or a list of files.
constexpr Field file_named(std::string_view name, int order = 1) {
  Field field = named(name);
  field.file_order = order;
  return field;
}

// For an option that has an effect only under a condition, or under two.
constexpr Field only_with(const When& first, const When& second, Field field) {
  field.when = {first, second};
  return field;
}
constexpr Field only_with(const When& condition, Field field) {
  return only_with(condition, {}, field);
}

template <std::size_t count>
using ValueNames = std::array<std::string_view, count>;

// An option's enumeration has `constexpr ValueNames<n> value_names(Enum)`, in order of its values.
template <class Enum>
struct EnumNames {
  static constexpr auto names = value_names(Enum());
};

// The name of a value, as configs and messages have it.
template <class Enum>
  requires requires { value_names(Enum()); }
constexpr std::string_view name_of(Enum value) {
  return EnumNames<Enum>::names[static_cast<std::size_t>(value)];
}

// One value for all layers or heads, or one value for each.
template <class Value>
struct OneOrEach {
  std::vector<Value> values;

  bool given() const { return !values.empty(); }
  bool fits(Index count) const { return values.size() == 1 || std::ssize(values) == count; }
  const Value& at(Index i) const {
    return values[values.size() == 1 ? 0 : static_cast<std::size_t>(i)];
  }
  bool operator==(const OneOrEach&) const = default;
};

template <class Value>
using Layered = OneOrEach<Value>;  // by layer; without values the option is auto
template <class Value>
using ByHead = OneOrEach<Value>;  // by head of one layer
template <class Value>
using Plain = Value;  // of one layer

struct Violation {
  std::vector<std::string> options;  // the most likely wrong option first
  std::string problem;
};

// If `broken`, the violation, whose problem fmt::format() writes.
template <class... Parts>
std::optional<Violation> violation_if(bool broken, std::vector<std::string> options,
                                      fmt::format_string<Parts...> form, Parts&&... parts) {
  if (!broken) {
    return {};
  }
  return Violation{std::move(options), fmt::format(form, std::forward<Parts>(parts)...)};
}

inline std::optional<Violation> first_violation(
    std::initializer_list<std::optional<Violation>> rules) {
  const auto* const found =
      std::ranges::find_if(rules, [](const auto& one) { return one.has_value(); });
  return found == rules.end() ? std::optional<Violation>() : *found;
}

// The types of members, some with a text notation of their own. Others are optional numbers.
template <class Member>
concept PlainMember =
    std::is_arithmetic_v<Member> || std::is_enum_v<Member> || std::same_as<Member, std::string> ||
    std::same_as<Member, std::vector<std::string>> || requires { Member::notation; };

// member_count initialises members with it. Its number also initialises an optional number.
struct AnyMember {
  template <PlainMember Member>
  operator Member() const;
};

// The number of members of an aggregate: the largest number of initialisers that it takes.
template <class Aggregate, class... Known>
consteval std::size_t member_count() {
  if constexpr (requires { Aggregate{Known{}..., AnyMember{}}; }) {
    return member_count<Aggregate, Known..., AnyMember>();
  } else {
    return sizeof...(Known);
  }
}

}  // namespace tapehead

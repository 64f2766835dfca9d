// Counts the members of an options struct, for a test that each of them has its row.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

namespace tapehead {

// Initialises an option's member of any type; an optional takes it as its number.
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
struct AnyNotation {  // of a type that is written in one of its own
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

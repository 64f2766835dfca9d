// How many members a struct of options has, for a test that each of them has its row.
#pragma once

#include <string>
#include <type_traits>

namespace tapehead {

// What an option's member can be made from; an optional is made from its number.
struct AnyNumber {
  template <class Number>
    requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  operator Number() const;
};
struct AnyText {
  operator std::string() const;
};

// Of an aggregate: as many as it can take initialisers.
template <class Aggregate, class... Known>
consteval std::size_t member_count() {
  if constexpr (requires { Aggregate{Known{}..., AnyNumber{}}; }) {
    return member_count<Aggregate, Known..., AnyNumber>();
  } else if constexpr (requires { Aggregate{Known{}..., AnyText{}}; }) {
    return member_count<Aggregate, Known..., AnyText>();
  } else {
    return sizeof...(Known);
  }
}

}  // namespace tapehead

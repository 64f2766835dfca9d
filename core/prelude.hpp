// Included by every file: common headers, integer types, an exception for each kind of remedy, and
// lists that are made from numbers or from other lists.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tapehead {

namespace fs = std::filesystem;

using Index = std::ptrdiff_t;  // rows, columns, lengths, offsets
using TokenId = std::int32_t;  // an entry of a vocabulary

// An exception whose message is a text, or arguments of fmt::format().
template <class Base>
struct FormattedError : Base {
  using Base::Base;
  template <class... Parts>
    requires(sizeof...(Parts) > 0)
  explicit FormattedError(fmt::format_string<Parts...> form, Parts&&... parts)
      : Base(fmt::format(form, std::forward<Parts>(parts)...)) {}
};

// Two shapes that do not match. The message names the op or layer, and both shapes.
struct ShapeError : FormattedError<std::invalid_argument> {
  using FormattedError::FormattedError;
};

// A wrong value in a config or on the command line. The message gives the place.
struct ConfigError : FormattedError<std::invalid_argument> {
  using FormattedError::FormattedError;
};

// Input data that cannot be used. The message gives file and line.
struct DataError : FormattedError<std::runtime_error> {
  using FormattedError::FormattedError;
};

// A file that cannot be read, written or trusted. The message gives its path and what is wrong.
struct IoError : FormattedError<std::runtime_error> {
  using FormattedError::FormattedError;
};

// A value, a gradient or a loss that is not finite. The message names op, parameter and step.
struct NumericError : FormattedError<std::runtime_error> {
  using FormattedError::FormattedError;
};

// 0, 1, ... count - 1.
template <class Number>
auto numbers_below(Number count) {
  return std::views::iota(Number{0}, count);
}

// The results of `make` for each of the items, in order.
template <class Range, class Make>
auto mapped(Range&& items, const Make& make) {
  std::vector<std::decay_t<decltype(std::invoke(make, *std::ranges::begin(items)))>> results;
  if constexpr (std::ranges::sized_range<Range>) {
    results.reserve(static_cast<std::size_t>(std::ranges::size(items)));
  }
  for (auto&& item : items) {
    results.push_back(std::invoke(make, item));
  }
  return results;
}

}  // namespace tapehead

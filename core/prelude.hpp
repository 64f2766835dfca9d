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

// An exception whose message is a text, or arguments of fmt::format(). Each `Kind` is its own type.
template <class Base, class Kind>
struct FormattedError : Base {
  using Base::Base;
  template <class... Parts>
    requires(sizeof...(Parts) > 0)
  explicit FormattedError(fmt::format_string<Parts...> form, Parts&&... parts)
      : Base(fmt::format(form, std::forward<Parts>(parts)...)) {}
};

// Two shapes that do not match. The message names the op or layer, and both shapes.
using ShapeError = FormattedError<std::invalid_argument, struct OfShapes>;

// A wrong value in a config or on the command line. The message gives the place.
using ConfigError = FormattedError<std::invalid_argument, struct OfConfig>;

// Input data that cannot be used. The message gives file and line.
using DataError = FormattedError<std::runtime_error, struct OfData>;

// A file that cannot be read, written or trusted. The message gives its path and what is wrong.
using IoError = FormattedError<std::runtime_error, struct OfFiles>;

// A value, a gradient or a loss that is not finite. The message names op, parameter and step.
using NumericError = FormattedError<std::runtime_error, struct OfNumbers>;

// The base of classes whose objects are neither copied nor moved.
struct NotCopied {
  NotCopied() = default;
  NotCopied(const NotCopied&) = delete;
  NotCopied& operator=(const NotCopied&) = delete;
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

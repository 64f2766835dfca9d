// Sharing: what every rank knows after an exchange in which all take part.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/ranks/ranks.hpp"

namespace tapehead {

// Fills `all`, of which each rank has its part: that of rank r begins at begins[r] and ends at
// begins[r + 1]. There is one more begin than there are ranks.
void share_parts(Ranks& ranks, std::span<std::byte> all, std::span<const Index> begins);

// The texts of all ranks, by rank.
std::vector<std::string> share_texts(Ranks& ranks, std::string_view mine);

// The bytes of rank 0, which the others write into theirs.
void copy_from_first(Ranks& ranks, std::span<std::byte> bytes);

// The text of rank 0.
std::string text_of_first(Ranks& ranks, std::string_view mine);

// The values of all ranks, by rank.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::vector<T> share_values(Ranks& ranks, const T& mine) {
  const auto count = static_cast<std::size_t>(ranks.count());
  std::vector<T> all(count);
  all[static_cast<std::size_t>(ranks.rank())] = mine;
  std::vector<Index> begins;
  for (std::size_t i = 0; i <= count; ++i) {
    begins.push_back(static_cast<Index>(i * sizeof(T)));
  }
  share_parts(ranks, std::as_writable_bytes(std::span(all)), begins);
  return all;
}

// The value of rank 0, which decides.
template <class T>
  requires std::is_trivially_copyable_v<T>
T value_of_first(Ranks& ranks, T mine) {
  copy_from_first(ranks, std::as_writable_bytes(std::span(&mine, 1)));
  return mine;
}

}  // namespace tapehead

// A Python expression in brackets, laid out on one line if it fits, else an item a line.
#pragma once

#include <string>
#include <vector>

#include <cstddef>

namespace tapehead {

inline constexpr std::size_t python_columns = 100;
inline constexpr std::size_t columns_in_constructor = python_columns - 8;

struct Expression {
  std::string open;  // "Layer("; without items the whole expression
  std::vector<Expression> items{};
  std::string close{};  // ")"
  std::string after{};  // the last item has a clause instead of a comma: "for _ in range(2)"

  bool operator==(const Expression&) const = default;
};

// The text in lines of so many columns. Its first line begins at `column`; those after it are
// indented by `indent`.
std::string text_of(const Expression& expression, std::size_t columns, std::size_t column,
                    std::size_t indent = 0);

}  // namespace tapehead

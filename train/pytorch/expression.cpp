#include "train/pytorch/expression.hpp"

#include <fmt/format.h>

namespace tapehead {

namespace {

std::string on_one_line(const Expression& expression) {
  std::string text = expression.open;
  for (std::size_t i = 0; i < expression.items.size(); ++i) {
    text += (i > 0 ? ", " : "") + on_one_line(expression.items[i]);
  }
  return text + (expression.after.empty() ? "" : " " + expression.after) + expression.close;
}

}  // namespace

std::string text_of(const Expression& expression, std::size_t columns, std::size_t column,
                    std::size_t indent) {
  std::string text = on_one_line(expression);
  constexpr std::size_t comma = 1;
  if (column + text.size() + comma <= columns || expression.items.empty()) {
    return text;
  }
  constexpr std::size_t step = 4;
  const std::string margin(indent + step, ' ');
  text = expression.open + "\n";
  for (const Expression& item : expression.items) {
    const std::string item_text = text_of(item, columns, indent + step, indent + step);
    text += fmt::format("{}{}{}\n", margin, item_text, expression.after.empty() ? "," : "");
  }
  if (!expression.after.empty()) {
    text += fmt::format("{}{}\n", margin, expression.after);
  }
  return text + std::string(indent, ' ') + expression.close;
}

}  // namespace tapehead

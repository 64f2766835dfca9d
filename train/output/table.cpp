#include "train/output/table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "train/output/format.hpp"

namespace tapehead {

namespace {

constexpr std::size_t gap = 2;

std::size_t width(const std::string& text) { return static_cast<std::size_t>(text_width(text)); }

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows,
                                       std::size_t columns) {
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& cells : rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], width(cells[i]));
    }
  }
  return widths;
}

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

Table::Table(std::vector<Align> columns) : columns_(std::move(columns)) {}

void Table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::rule() { rows_.emplace_back(); }

std::string Table::text(std::size_t indent) const {
  const std::vector<std::size_t> widths = column_widths(rows_, columns_.size());
  const std::size_t across = std::accumulate(widths.begin(), widths.end(),
                                             gap * (std::max<std::size_t>(widths.size(), 1) - 1));
  std::string text;
  for (const auto& cells : rows_) {
    std::string line(indent, ' ');
    if (cells.empty()) {
      line.append(across, '-');
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - width(cells[i]), ' ');
      line += columns_[i] == Align::left ? cells[i] + padding : padding + cells[i];
      line.append(gap, ' ');
    }
    trim_end(line);
    text += text.empty() ? line : '\n' + line;
  }
  return text;
}

}  // namespace tapehead

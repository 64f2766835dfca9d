#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace tapehead {

namespace {

constexpr std::size_t narrowest = 7;

std::size_t width(const Column& column) {
  return std::max({narrowest, column.width, column.title.size()});
}

}  // namespace

void Report::print_cell(const Column& column, const nlohmann::ordered_json& values) const {
  const nlohmann::ordered_json::json_pointer place(column.place);
  const nlohmann::ordered_json value =
      values.contains(place) ? values.at(place) : nlohmann::ordered_json();
  if (value.is_string()) {
    fmt::print("{:<{}}", value.get<std::string>(), width(column));
  } else if (value.is_number()) {
    fmt::print("{:>{}.{}f}", column.factor * value.get<double>(), width(column), column.decimals);
  } else {
    fmt::print("{:>{}}", "-", width(column));
  }
}

void Report::row(const nlohmann::ordered_json& values) {
  if (json_) {
    fmt::print("{}\n", values.dump());
  } else {
    for (const Column& column : has_header_ ? std::vector<Column>{} : columns_) {
      const bool text = values.contains(nlohmann::ordered_json::json_pointer(column.place)) &&
                        values.at(nlohmann::ordered_json::json_pointer(column.place)).is_string();
      text ? fmt::print("{:<{}}  ", column.title, width(column))
           : fmt::print("{:>{}}  ", column.title, width(column));
    }
    fmt::print("{}", has_header_ ? "" : "\n");
    has_header_ = true;
    for (const Column& column : columns_) {
      print_cell(column, values);
      fmt::print("  ");
    }
    fmt::print("\n");
  }
  std::fflush(stdout);
}

}  // namespace tapehead

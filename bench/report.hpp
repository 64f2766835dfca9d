// What a measurement prints: rows of a table to read, or one JSON object a line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tapehead {

struct Column {
  std::string place;  // where in a row's object its value stands, such as "/share/linear"
  std::string title;
  int decimals = 0;
  double factor = 1;      // on what the table shows; JSON has the value itself
  std::size_t width = 0;  // at least that of the title; texts that vary need more
};

class Report {
 public:
  Report(std::vector<Column> columns, bool json) : columns_(std::move(columns)), json_(json) {}

  // Printed at once: a measurement takes long. The table leaves out what has no column, and marks
  // with "-" what the row has no value for.
  void row(const nlohmann::ordered_json& values);

 private:
  void print_cell(const Column& column, const nlohmann::ordered_json& values) const;

  std::vector<Column> columns_;
  bool json_;
  bool has_header_ = false;
};

}  // namespace tapehead

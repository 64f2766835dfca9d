// A plain-text table with aligned columns, for the start and the end of a training.
#pragma once

#include <string>
#include <vector>

namespace tapehead {

enum class Align { left, right };

class Table {
 public:
  // One alignment per column.
  explicit Table(std::vector<Align> columns);

  void row(std::vector<std::string> cells);  // missing cells are empty
  void rule();                               // a line across the table, under a header

  // Lines without a final newline. Every line begins with `indent` spaces and has no spaces at its
  // end.
  std::string text(std::size_t indent = 2) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace tapehead

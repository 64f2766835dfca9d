// Figures as tables, JSON, legend, each described once by a FigureRow; and lines of CSV.
#pragma once

#include "core/text.hpp"
#include "train/output/text_table.hpp"

namespace tapehead {

// A figure of objects of type `Of`.
template <class Of>
struct FigureRow {
  std::string key;       // in JSON, such as "weight_on.previous"; empty: not in JSON
  std::string column{};  // in the table; empty: not in the table
  std::string help{};    // in the legend; empty: not in the legend
  // The figure; null where it is undefined.
  std::function<Json(const Of&)> of{};
  std::string format = "{:.2f}";                 // of a number, `as_percent` or `as_words`
  std::function<std::string(const Of&)> cell{};  // the table's text if it differs
};
constexpr const char* as_percent = "%";  // for a share
constexpr const char* as_words = "";     // aligned on the left

template <class Of>
Json value_of(const FigureRow<Of>& row, const Of& one) {
  return row.of ? row.of(one) : Json();
}

std::string text_of(const auto& row, const auto& one) {
  const auto value = row.cell ? Json(row.cell(one)) : value_of(row, one);
  if (!value.is_number()) {
    return value.is_string() ? value.template get<std::string>() : "";
  }
  const double number = value;
  return row.format == as_percent ? fmt::format("{:.0f}", 100 * number)
                                  : fmt::format(fmt::runtime(row.format), number);
}

template <class Row, class Of>
std::string table_of(const std::vector<Row>& rows, const std::vector<Of>& all) {
  const auto align = [](const Row& row) {
    return row.format == as_words ? Align::left : Align::right;
  };
  Table table(mapped(rows, align), mapped(rows, &Row::column));
  for (const Of& one : all) {
    table.row(mapped(rows, [&](const Row& row) { return text_of(row, one); }));
  }
  return table.text();
}

// Puts a figure at its key. A group that is null stays null.
inline void put(Json& json, const std::string& key, Json value) {
  const std::size_t dot = key.find('.');
  const std::string name = key.substr(0, dot);
  if (dot == std::string::npos && !key.empty()) {
    json[name] = std::move(value);
  } else if (!key.empty() && (!json.contains(name) || !json[name].is_null())) {
    json[name][key.substr(dot + 1)] = std::move(value);
  }
}

template <class Row, class Of>
Json json_of(const std::vector<Row>& rows, const Of& one) {
  Json json;
  for (const Row& row : rows) {
    put(json, row.key, value_of(row, one));
  }
  return json;
}

template <class Row, class Of>
Json json_of(const std::vector<Row>& rows, const std::vector<Of>& all) {
  return mapped(all, [&](const Of& one) { return json_of(rows, one); });
}

// A field is quoted if it contains a comma, a quote or a line break (RFC 4180).
inline std::string csv_line(const std::vector<std::string>& fields) {
  std::vector<std::string> quoted = fields;
  for (std::string& field : quoted) {
    if (field.find_first_of(",\"\r\n") != std::string::npos) {
      field = '"' + replaced(field, {{"\"", "\"\""}}) + '"';
    }
  }
  return join(quoted, ",") + '\n';
}

}  // namespace tapehead

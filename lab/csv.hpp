// Tables for spreadsheets and other programs.
#pragma once

#include "core/text.hpp"

namespace tapehead {

// A field is quoted if it contains a comma, a quote or a line break (RFC 4180).
inline std::string csv_line(const std::vector<std::string>& fields) {
  std::vector<std::string> quoted = fields;
  for (std::string& field : quoted) {
    if (field.find_first_of(",\"\r\n") != std::string::npos) {
      for (auto at = field.find('"'); at != std::string::npos; at = field.find('"', at + 2)) {
        field.insert(at, 1, '"');
      }
      field = '"' + field + '"';
    }
  }
  return join(quoted, ",") + '\n';
}

}  // namespace tapehead

// Tables for spreadsheets and other programs.
#pragma once

#include <string>
#include <vector>

#include "core/text.hpp"

namespace tapehead {

// Quoted if it contains a comma, a quote or a line break (RFC 4180).
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

inline std::string csv_line(const std::vector<std::string>& fields) {
  std::vector<std::string> quoted;
  for (const std::string& field : fields) {
    quoted.push_back(csv_field(field));
  }
  return join(quoted, ",") + '\n';
}

}  // namespace tapehead

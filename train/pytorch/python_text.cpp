#include "train/pytorch/python_text.hpp"

#include <cctype>
#include <nlohmann/json.hpp>

namespace tapehead {

namespace {

bool in_names(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

}  // namespace

std::string python_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string docstring_text(std::string_view text) {
  const std::string quoted = python_string(text);
  if (text.find("\"\"\"") != std::string_view::npos) {
    return quoted.substr(1, quoted.size() - 2);
  }
  std::string result;  // with its quotes as they are
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] == '\\' && quoted[i + 1] != '"') {
      result += quoted[i++];
    } else if (quoted[i] == '\\') {
      ++i;
    }
    result += quoted[i];
  }
  return result;
}

std::string wrapped(const std::vector<std::string>& words, std::size_t columns,
                    std::size_t indent) {
  std::string text;
  std::size_t column = 0;
  for (const std::string& word : words) {
    if (column > 0 && column + 1 + word.size() > columns) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

bool mentions(std::string_view code, std::string_view name) {
  for (std::size_t at = code.find(name); at != std::string_view::npos;
       at = code.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : code[at - 1];
    const std::size_t end = at + name.size();
    const char after = end == code.size() ? ' ' : code[end];
    if (!in_names(before) && before != '.' && !in_names(after)) {
      return true;
    }
  }
  return false;
}

}  // namespace tapehead

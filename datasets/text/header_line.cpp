#include "datasets/text/header_line.hpp"

#include <cctype>

#include <spdlog/spdlog.h>

#include "core/shown.hpp"

namespace tapehead {

namespace {

constexpr std::array<std::string_view, 20> column_names{
    "category", "class",  "hypothesis", "input",     "label",  "output",     "phrase",
    "premise",  "query",  "question",   "reference", "review", "sentence",   "source",
    "src",      "target", "text",       "tgt",       "title",  "translation"};

// In small letters, without what numbers it: Sentence_2 is "sentence".
std::string name_of(std::string_view field) {
  std::string name;
  for (const char character : field) {
    const auto byte = static_cast<unsigned char>(character);
    name += static_cast<char>(std::tolower(byte));
  }
  name.erase(name.find_last_not_of(" \t_0123456789") + 1);
  return name;
}

}  // namespace

bool names_columns(std::string_view line) {
  return std::ranges::all_of(std::views::split(line, '\t'), [](const auto& field) {
    return std::ranges::find(column_names, name_of({field.begin(), field.end()})) !=
           column_names.end();
  });
}

bool has_header(HeaderLine given, const std::filesystem::path& file,
                const std::vector<std::string>& lines, bool looks_like_one) {
  const bool alone = lines.size() == 1;
  if (given == HeaderLine::present && alone) {
    throw DataError(fmt::format("{}:1: nothing follows the header (task.header)", file.string()));
  }
  if (given != HeaderLine::automatic || alone || !looks_like_one) {
    return given == HeaderLine::present;
  }
  spdlog::info("{}:1: taken for a header, and left out: {} (task.header: false reads it as data)",
               file.string(), shown(lines.front()));
  return true;
}

}  // namespace tapehead

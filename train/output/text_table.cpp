#include "train/output/text_table.hpp"

#include <cerrno>

#include "core/files/process.hpp"
#include "core/text.hpp"
#include "core/version.hpp"

namespace tapehead {

namespace {

constexpr Index minute = 60;
constexpr Index hour = 60 * minute;
constexpr Index day = 24 * hour;

constexpr std::size_t gap = 2;

std::size_t width(const std::string& text) { return static_cast<std::size_t>(text_width(text)); }

}  // namespace

std::string format_duration(double seconds) {
  if (!(seconds < 1e12)) {
    return "unknown";
  }
  seconds = std::max(seconds, 0.0);
  if (seconds < 0.995) {
    return fmt::format("{:.2f} s", seconds);
  }
  if (seconds < 9.95) {
    return fmt::format("{:.1f} s", seconds);
  }
  const auto whole = static_cast<Index>(std::llround(seconds));
  if (whole < minute) {
    return fmt::format("{} s", whole);
  }
  if (whole < hour) {
    return fmt::format("{} min {:02} s", whole / minute, whole % minute);
  }
  const auto minutes = static_cast<Index>(std::llround(seconds / 60));
  if (minutes < day / minute) {
    return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  }
  const auto hours = static_cast<Index>(std::llround(seconds / 3600));
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

std::string format_count(double count) {
  constexpr std::array<std::string_view, 5> units{"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  double scaled = count;
  // The limits are below 1000, so that 999.95 is not written as 1000.0.
  while (std::abs(scaled) >= (unit == 0 ? 999.5 : 999.95) && unit + 1 < units.size()) {
    scaled /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f}", scaled) : fmt::format("{:.1f}{}", scaled, units[unit]);
}

std::string counted(Index count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string format_share(double share) { return fmt::format("{:.0f} %", 100 * share); }

Index text_width(std::string_view text) {
  // Every byte of UTF-8 begins a code point, except bytes of the form 10xxxxxx.
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

Table::Table(std::vector<Align> columns, std::vector<std::string> header)
    : columns_(std::move(columns)) {
  if (!header.empty()) {
    row(std::move(header));
    rule();
  }
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::rule() { rows_.emplace_back(); }

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& cells : rows_) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], width(cells[i]));
    }
  }
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
    line.erase(line.find_last_not_of(' ') + 1);
    text += text.empty() ? line : '\n' + line;
  }
  return text;
}

std::string program_path() {
  std::error_code error;
  fs::path program = own_program();
  const fs::path level = program.parent_path();
  const fs::path prefix = level.parent_path().parent_path().parent_path();
  const fs::path chooser = prefix / "bin" / program.filename();
  if (level == prefix / "lib/tapehead" / kernel_level() && fs::exists(chooser, error)) {
    const std::string_view typed = program_invocation_name;
    if (typed.find('/') == std::string_view::npos) {
      return std::string(typed);  // found on the PATH
    }
    program = chooser;
  }
  const fs::path near = fs::proximate(program, error);
  return shell_word(error || near.string().starts_with("..") ? program.string() : near.string());
}

std::string shell_word(std::string_view word) {
  if (word.starts_with('-')) {
    return shell_word("./" + std::string(word));
  }
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(word);
  }
  return "'" + replaced(word, {{"'", R"('\'')"}}) + "'";
}

void expect_figures(const Json& figures, const std::string& place) {
  if (figures.is_number_float() && std::isnan(figures.get<double>())) {
    throw NumericError("{} is not a number; the weights are too large", place);
  }
  if (figures.is_structured()) {
    for (const auto& [key, value] : figures.items()) {
      expect_figures(value, place.empty() ? key : place + '.' + key);
    }
  }
}

}  // namespace tapehead

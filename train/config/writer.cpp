// Writes options as lines of YAML, and finds the options in which configs differ.

#include "core/text.hpp"
#include "nn/options/attention_settings.hpp"
#include "train/config/config.hpp"
#include "train/config/values.hpp"

namespace tapehead {
namespace {

struct Line {
  std::string text;
  std::string option{};  // full name; empty for a section's heading and for a line between sections
};

std::vector<Line> lines_of(const OptionValues& values) {
  std::vector<Line> lines;
  std::string_view section;
  for (const auto& [option, value] : values) {
    const std::size_t dot = option.find('.');
    const bool outside = dot == std::string::npos;
    if (!outside && std::string_view(option).substr(0, dot) != section) {
      section = std::string_view(option).substr(0, dot);
      lines.push_back({});
      lines.push_back({.text = fmt::format("{}:", section)});
    }
    const std::string name = outside ? option : "  " + option.substr(dot + 1);
    lines.push_back({.text = fmt::format("{}: {}", name, value), .option = option});
  }
  return lines;
}

constexpr std::string_view comment_mark = "  # ";

// The lines as text, each with an aligned comment that gives the option's origin.
std::string with_origins(const std::vector<Line>& lines,
                         const std::map<std::string, std::string>& origins) {
  constexpr std::size_t widest = 60;  // a longer value shifts only its own comment
  std::size_t width = 0;
  for (const Line& line : lines) {
    if (line.text.size() <= widest) {
      width = std::max(width, line.text.size());
    }
  }
  std::string text;
  for (const Line& line : lines) {
    const auto origin = origins.find(line.option);
    text += origin == origins.end()
                ? line.text + '\n'
                : fmt::format("{:{}}{}{}\n", line.text, width, comment_mark, origin->second);
  }
  return text;
}

// In a resolved config the section `attention` has no effect any more.
bool decides_meaning(std::string_view option, const Field& field) {
  const std::string_view section = option.substr(0, option.find('.'));
  return !field.keeps_meaning &&
         (section == "model" ||
          std::ranges::find(attention_kind_names, section) != attention_kind_names.end());
}

}  // namespace

std::string dump_config(const Config& config) {
  return with_origins(lines_of(option_values(config)), {});
}

std::string dump_section(const Config& config, std::string_view section) {
  std::string dump;
  for (const Line& line : lines_of(option_values(config))) {
    if (line.option.starts_with(fmt::format("{}.", section))) {
      dump += line.text + '\n';
    }
  }
  return dump;
}

OptionValues option_values(const Config& config) {
  OptionValues values;
  for_each_option(config, [&](const std::string& name, const Row& row) {
    values.emplace_back(name, write_value(row));
  });
  return values;
}

std::string dump_config_with_origins(const LoadedConfig& loaded) {
  std::map<std::string, std::string> origins = loaded.origins;
  for (const WrittenOption& one : loaded.written.value_or(Written())) {
    if (one.value != "auto") {
      origins[one.option] = one.origin;
    }
  }
  return with_origins(lines_of(option_values(loaded.config)), origins);
}

std::string written_text(const Written& written) {
  OptionValues values;
  std::map<std::string, std::string> origins;
  for (const auto& [option, value, origin] : written) {
    values.emplace_back(option, value);
    std::string& comment = origins[option] = shown(origin);
    for (std::size_t at = 0; (at = comment.find(comment_mark)) != std::string::npos;) {
      comment.erase(at, 1);  // so that the line's last mark is the one before the origin
    }
  }
  return "# The chosen options and their origins; --set on this run reads this file. config.yaml "
         "has every option.\n" +
         (written.empty() ? "{}\n" : with_origins(lines_of(values), origins));
}

std::map<Index, std::string> origins_in(std::string_view text) {
  std::map<Index, std::string> origins;
  Index number = 0;
  for (const std::string_view line : text_lines(text)) {
    ++number;
    if (const std::size_t mark = line.rfind(comment_mark); mark != std::string_view::npos) {
      origins[number] = line.substr(mark + comment_mark.size());
    }
  }
  return origins;
}

std::vector<std::string> differences(const Config& one, const Config& other, const Counts& counts) {
  const OptionValues values = option_values(other);
  const std::map<std::string, std::string> others(values.begin(), values.end());
  std::vector<std::string> differing;
  for_each_option(one, [&](const std::string& option, const Row& row) {
    const auto found = others.find(option);
    const std::string value = write_value(row);
    if (found != others.end() && found->second != value && counts(option, row.field)) {
      differing.push_back(fmt::format("{}: {}, not {}", option, value, found->second));
    }
  });
  return differing;
}

std::vector<std::string> differences(const LoadedConfig& run, const Config& file) {
  return differences(run.config, file, [&](std::string_view option, const Field&) {
    const auto origin = run.origins.find(std::string(option));
    return origin == run.origins.end() || (origin->second != "--set" && origin->second != "auto");
  });
}

std::map<std::string, std::string> meaning_of(const Config& config) {
  std::map<std::string, std::string> meaning;
  for_each_option(config, [&](const std::string& name, const Row& row) {
    if (decides_meaning(name, row.field)) {
      meaning[name] = write_value(row);
    }
  });
  return meaning;
}

std::vector<std::string> meaning_differences(const Config& theirs, const Config& ours) {
  std::vector<std::string> differing = differences(theirs, ours, decides_meaning);
  std::ranges::sort(differing);
  return differing;
}

std::string some_of(std::vector<std::string> differences) {
  constexpr std::size_t most = 3;
  std::ranges::stable_partition(differences,
                                [](const std::string& one) { return one.starts_with("model."); });
  if (differences.size() <= most) {
    return join(differences, "; ");
  }
  return fmt::format("{} and {} more", join(differences | std::views::take(most), "; "),
                     differences.size() - most);
}

}  // namespace tapehead

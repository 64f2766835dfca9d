#include "datasets/text/parallel_options.hpp"

#include <cctype>
#include <sstream>

#include "core/text.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

using Verdict = std::optional<Violation>;

struct Files {
  std::string_view split;  // the prefix of its options' names
  std::string_view said;   // its name in messages
  const std::string& source;
  const std::string& target;
  const std::string& tsv;
};

Verdict check(const Files& files) {
  const auto option = [&](std::string_view of) {
    return fmt::format("task.{}_{}", files.split, of);
  };
  const std::string source = option("source");
  const std::string target = option("target");
  const std::string tsv = option("tsv");
  if (!files.tsv.empty() && !(files.source.empty() && files.target.empty())) {
    return Violation{
        {tsv, source, target},
        fmt::format("the {} text is given twice, as two files and as a TSV; keep one", files.said)};
  }
  if (files.source.empty() != files.target.empty()) {
    return Violation{{files.source.empty() ? target : source},
                     fmt::format("given alone; the {} text needs {} too", files.said,
                                 files.source.empty() ? source : target)};
  }
  if (files.split == "test" || !files.source.empty() || !files.tsv.empty()) {
    return {};
  }
  return Violation{{source, tsv, "task.name"},
                   fmt::format("parallel_text needs {} text: {} and {}, or {}", files.said, source,
                               target, tsv)};
}

// Each name needs an entry in the list. Only types may be missing: the whole list, or some as "".
Verdict one_for_each_name(const std::string& option, const std::vector<std::string>& files,
                          const std::vector<std::string>& names) {
  const bool of_types = option == "task.further_types";
  if (files.size() != names.size() && !(of_types && files.empty())) {
    return Violation{{option, "task.further_tests"},
                     fmt::format("{} files in {} for {} names in task.further_tests; give one for "
                                 "each name",
                                 files.size(), option, names.size())};
  }
  const auto empty = std::ranges::find(files, "");
  if (of_types || empty == files.end()) {
    return {};
  }
  return Violation{{option},
                   fmt::format("no file for the split {}",
                               names[static_cast<std::size_t>(empty - files.begin())])};
}

Verdict names_are_new(const std::vector<std::string>& names) {
  std::vector<std::string> taken{"train", "validation", "test", "whole"};
  for (const std::string& name : names) {
    const auto fits = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    if (name.empty() || !std::ranges::all_of(name, fits)) {
      return Violation{
          {"task.further_tests"},
          fmt::format("a split's name has letters, digits, _ and - alone ({})", shown(name))};
    }
    if (std::ranges::find(taken, name) != taken.end()) {
      return Violation{
          {"task.further_tests"},
          fmt::format("there is a split named {} already; give this one another name", name)};
    }
    taken.push_back(name);
  }
  return {};
}

Verdict groups_are_readable(const std::vector<std::string>& groups) {
  std::vector<std::string> names;
  for (const std::string& group : groups) {
    try {
      names.push_back(parse_type_group(group).name);
    } catch (const ConfigError& error) {
      return Violation{{"task.type_groups"}, fmt::format("{} ({})", error.what(), shown(group))};
    }
    if (std::ranges::count(names, names.back()) > 1) {
      return Violation{{"task.type_groups"},
                       fmt::format("two groups are named {}; give one another name", names.back())};
    }
  }
  return {};
}

// The option that names the file of a side: source, target, tsv or types.
std::string option_of(const SplitFiles& files, std::string_view side) {
  return files.further ? fmt::format("task.further_{}{}", side, side == "types" ? "" : "s")
                       : fmt::format("task.{}_{}", files.name, side);
}

// The types of a split's examples, from a file with one type per line.
std::vector<std::string> read_types(const fs::path& file, const fs::path& text_file,
                                    std::size_t examples) {
  std::vector<std::string> types = read_lines(file);
  const auto empty = std::ranges::find(types, "");
  if (empty != types.end()) {
    throw DataError(fmt::format("{}:{}: an empty line, where a type is expected", file.string(),
                                empty - types.begin() + 1));
  }
  if (types.size() != examples) {
    throw DataError(fmt::format(
        "{}:{}: the file ends here, but {} has {} lines; line n must be the type of its line n",
        file.string(), types.size(), text_file.string(), examples));
  }
  return types;
}

using Names = std::set<std::string, std::less<>>;

Names types_of(const std::vector<Split>& splits) {
  Names types;
  for (const Split& split : splits) {
    types.insert(split.types.begin(), split.types.end());
  }
  return types;
}

void expect_types(const TypeGroup& group, const Names& types) {
  if (types.contains(group.name)) {
    throw DataError(fmt::format(
        "task.type_groups: {} is the name of a type; give the group another one", group.name));
  }
  for (const std::string& type : group.types) {
    if (!types.contains(type)) {
      throw DataError(fmt::format("task.type_groups: {}: no example has the type {} (there are {})",
                                  group.name, type, join(types, ", ")));
    }
  }
}

}  // namespace

TypeGroup parse_type_group(std::string_view text) {
  std::istringstream words{std::string(text)};
  TypeGroup group;
  std::string equals;
  words >> group.name >> equals;
  for (std::string type; words >> type;) {
    group.types.push_back(type);
  }
  if (equals != "=" || group.types.empty()) {
    throw ConfigError("expected a name, an equals sign and types, as in: hard = recursion passive");
  }
  return group;
}

Verdict text_has_files(const TaskOptions& options) {
  const auto& text = options.as<ParallelTextOptions>();
  for (const Files& files :
       {Files{"train", "training", text.train_source, text.train_target, text.train_tsv},
        Files{"validation", "validation", text.validation_source, text.validation_target,
              text.validation_tsv},
        Files{"test", "test", text.test_source, text.test_target, text.test_tsv}}) {
    if (Verdict verdict = check(files)) {
      return verdict;
    }
  }
  return header_without_tsv(text);
}

Verdict further_tests_are_whole(const TaskOptions& options) {
  const auto& text = options.as<ParallelTextOptions>();
  const std::vector<std::string>& names = text.further_tests;
  for (const auto& [option, files] : {std::pair{"task.further_sources", &text.further_sources},
                                      std::pair{"task.further_targets", &text.further_targets},
                                      std::pair{"task.further_types", &text.further_types}}) {
    if (Verdict verdict = one_for_each_name(option, *files, names)) {
      return verdict;
    }
  }
  if (!names.empty() && !text.has_test()) {
    return Violation{{"task.further_tests", "task.test_source"},
                     "further test splits need a test split; give task.test_source and "
                     "task.test_target"};
  }
  return names_are_new(names);
}

Verdict types_fit(const TaskOptions& options) {
  const auto& text = options.as<ParallelTextOptions>();
  if (!text.test_types.empty() && !text.has_test()) {
    return Violation{{"task.test_types", "task.test_source"},
                     "there is no test split; give task.test_source and task.test_target too"};
  }
  const bool some =
      !text.validation_types.empty() || !text.test_types.empty() ||
      std::ranges::any_of(text.further_types, [](const auto& file) { return !file.empty(); });
  if (!text.type_groups.empty() && !some) {
    return Violation{{"task.type_groups", "task.test_types", "task.further_types"},
                     "no split has types; give task.validation_types, task.test_types or "
                     "task.further_types"};
  }
  return groups_are_readable(text.type_groups);
}

AlignedText read_aligned_files(const fs::path& source, const fs::path& target) {
  AlignedText text{.source = read_lines(source), .target = read_lines(target)};
  if (text.source.size() != text.target.size()) {
    const auto& [shorter, count] = text.source.size() < text.target.size()
                                       ? std::pair(source, text.source.size())
                                       : std::pair(target, text.target.size());
    throw DataError(fmt::format(
        "{}:{}: the file ends here, but {} has {} lines and {} has {}; line by line one must be "
        "the translation of the other",
        shorter.string(), count, source.string(), text.source.size(), target.string(),
        text.target.size()));
  }
  return text;
}

AlignedText read_tab_separated(const fs::path& file, HeaderLine header) {
  AlignedText text;
  const std::vector<std::string> lines = read_lines(file);
  text.first = has_header(header, file, lines, names_columns(lines.front())) ? 2 : 1;
  for (auto number = static_cast<std::size_t>(text.first); number <= lines.size(); ++number) {
    const std::string& line = lines[number - 1];
    const auto tabs = std::count(line.begin(), line.end(), '\t');
    if (tabs != 1) {
      throw DataError(fmt::format("{}:{}: {} tabs, where source, one tab and target are expected",
                                  file.string(), number, tabs == 0 ? "no" : std::to_string(tabs)));
    }
    const std::size_t tab = line.find('\t');
    text.source.push_back(line.substr(0, tab));
    text.target.push_back(line.substr(tab + 1));
  }
  return text;
}

std::vector<SplitFiles> held_out_files(const ParallelTextOptions& options) {
  std::vector<SplitFiles> all{{"validation", options.validation_source, options.validation_target,
                               options.validation_tsv, options.validation_types, options.header}};
  if (options.has_test()) {
    all.push_back({"test", options.test_source, options.test_target, options.test_tsv,
                   options.test_types, options.header});
  }
  for (std::size_t i = 0; i < options.further_tests.size(); ++i) {
    all.push_back({.name = options.further_tests[i],
                   .source = options.further_sources[i],
                   .target = options.further_targets[i],
                   .types = options.further_types.empty() ? "" : options.further_types[i],
                   .further = true});
  }
  return all;
}

SplitText read_split(const SplitFiles& files) {
  for (const auto& [side, file] :
       {std::pair{"source", &files.source}, std::pair{"target", &files.target},
        std::pair{"tsv", &files.tab_separated}, std::pair{"types", &files.types}}) {
    if (!file->empty()) {
      expect_file(*file, option_of(files, side));
    }
  }
  SplitText split{.files = files,
                  .text = files.tab_separated.empty()
                              ? read_aligned_files(files.source, files.target)
                              : read_tab_separated(files.tab_separated, files.header),
                  .types = {}};
  split.files.header = split.text.first > 1 ? HeaderLine::present : HeaderLine::absent;
  if (!files.types.empty()) {
    split.types = read_types(files.types, files.source_file(), split.text.source.size());
  }
  return split;
}

std::vector<TypeGroup> type_groups(const std::vector<std::string>& option,
                                   const std::vector<Split>& splits) {
  std::vector<TypeGroup> groups;
  const Names types = types_of(splits);
  for (const std::string& text : option) {
    groups.push_back(parse_type_group(text));
    expect_types(groups.back(), types);
  }
  return groups;
}

}  // namespace tapehead

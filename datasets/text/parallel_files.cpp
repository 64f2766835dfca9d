#include "datasets/text/parallel_files.hpp"

#include "core/text.hpp"
#include "datasets/text/text_file.hpp"

namespace tapehead {

namespace fs = std::filesystem;

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

namespace {

// The option that names the file of a side: source, target, tsv or types.
std::string option_of(const SplitFiles& files, std::string_view side) {
  return files.further ? fmt::format("task.further_{}{}", side, side == "types" ? "" : "s")
                       : fmt::format("task.{}_{}", files.name, side);
}

// The type of each of a split's examples, from a file with one a line.
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

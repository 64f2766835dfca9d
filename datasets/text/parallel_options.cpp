#include "datasets/text/parallel_options.hpp"

#include <cctype>

#include "core/text.hpp"

namespace tapehead {

namespace {

using Verdict = std::optional<Violation>;

// Training, validation and test, which may be missing.
std::array<SplitFiles, 3> usual_files(const ParallelTextOptions& options) {
  const HeaderLine header = options.header;
  return {{{"train", options.train_source, options.train_target, options.train_tsv, header},
           {"validation", options.validation_source, options.validation_target,
            options.validation_tsv, header, options.validation_types},
           {"test", options.test_source, options.test_target, options.test_tsv, header,
            options.test_types}}};
}

Verdict text_has_files(const TaskOptions& task) {
  const auto& options = task.as<ParallelTextOptions>();
  for (const SplitFiles& files : usual_files(options)) {
    const std::string& name = files.name;
    const std::string text = (name == "train" ? "training" : name) + " text";
    const std::string twice =
        fmt::format("the {} is given twice, as two files and as a TSV; keep one", text);
    Verdict verdict = first_violation(
        {given_twice_or_half(files, {"source", "target"}, twice, fmt::format("the {} needs", text)),
         violation_if(
             name != "test" && !files.given(),
             {fmt::format("task.{}_source", name), fmt::format("task.{}_tsv", name), "task.name"},
             "parallel_text needs {0}: task.{1}_source and task.{1}_target, or task.{1}_tsv", text,
             name)});
    if (verdict) {
      return verdict;
    }
  }
  return header_without_tsv(options);
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
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  for (const std::string& name : names) {
    const Verdict verdict = first_violation(
        {violation_if(name.empty() || !std::ranges::all_of(name, fits), {"task.further_tests"},
                      "a split's name may contain only letters, digits, _ and - ({})", shown(name)),
         violation_if(std::ranges::find(taken, name) != taken.end(), {"task.further_tests"},
                      "there is already a split named {}; choose another name", name)});
    if (verdict) {
      return verdict;
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
                       fmt::format("two groups are named {}; rename one of them", names.back())};
    }
  }
  return {};
}

// The types of a split's examples, from a file with one type per line.
std::vector<std::string> read_types(const fs::path& file, const fs::path& text_file,
                                    std::size_t examples) {
  std::vector<std::string> types = read_lines(file);
  const auto empty = std::ranges::find(types, "");
  if (empty != types.end()) {
    throw DataError("{}:{}: an empty line, where a type is expected", file.string(),
                    empty - types.begin() + 1);
  }
  if (types.size() != examples) {
    throw DataError(
        "{}:{}: the file ends here, but {} has {} lines; line n must be the type of pair n",
        file.string(), types.size(), text_file.string(), examples);
  }
  return types;
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
  return first_violation(
      {violation_if(!names.empty() && !text.has_test(), {"task.further_tests", "task.test_source"},
                    "further test splits need a test split; give task.test_source and "
                    "task.test_target"),
       names_are_new(names)});
}

Verdict types_fit(const TaskOptions& options) {
  const auto& text = options.as<ParallelTextOptions>();
  const bool some =
      !text.validation_types.empty() || !text.test_types.empty() ||
      std::ranges::any_of(text.further_types, [](const auto& file) { return !file.empty(); });
  return first_violation(
      {violation_if(!text.test_types.empty() && !text.has_test(),
                    {"task.test_types", "task.test_source"},
                    "there is no test split; give task.test_source and task.test_target too"),
       violation_if(!text.type_groups.empty() && !some,
                    {"task.type_groups", "task.test_types", "task.further_types"},
                    "no split has types; give task.validation_types, task.test_types or "
                    "task.further_types"),
       groups_are_readable(text.type_groups)});
}

}  // namespace

constinit const std::array<TaskRule, 4> parallel_text_rules{
    TaskRule{"`parallel_text` has training and validation text, each as two files or as one TSV. "
             "`task.header` is for TSVs.",
             text_has_files},
    TaskRule{"The lists `task.further_sources`, `task.further_targets` and, if given, "
             "`task.further_types` have an entry for each name in `task.further_tests`. The names "
             "are new ones, and there is a test split.",
             further_tests_are_whole},
    TaskRule{"`task.test_types` needs a test split. `task.type_groups` need types of some split, "
             "and different names.",
             types_fit},
    entries_hold_bytes_rule<ParallelTextOptions>};

TypeGroup parse_type_group(std::string_view text) {
  std::vector<std::string_view> words = units_of(text, Unit::word);
  std::erase(words, line_end);
  if (words.size() < 3 || words[1] != "=") {
    throw ConfigError("expected a name, an equals sign and types, as in: hard = recursion passive");
  }
  return {.name = std::string(words.front()), .types = {words.begin() + 2, words.end()}};
}

AlignedText read_pairs(const fs::path& file, HeaderLine header) {
  return read_tab_separated(file, header, [&](const std::string& line, std::size_t number) {
    const auto tabs = std::ranges::count(line, '\t');
    if (tabs != 1) {
      throw DataError("{}:{}: {} tabs, where source, one tab and target are expected",
                      file.string(), number, tabs == 0 ? "no" : std::to_string(tabs));
    }
  });
}

std::vector<SplitFiles> split_files(const ParallelTextOptions& options) {
  const auto usual = usual_files(options);
  std::vector<SplitFiles> all(usual.begin(), usual.end() - (options.has_test() ? 0 : 1));
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
        std::pair{"tsv", &files.tsv}, std::pair{"types", &files.types}}) {
    const std::string_view ending = file == &files.types ? "" : "s";
    expect_file(*file, files.further ? fmt::format("task.further_{}{}", side, ending)
                                     : fmt::format("task.{}_{}", files.name, side));
  }
  SplitText split{.files = files,
                  .text = files.tsv.empty() ? read_aligned_files(files.source, files.target)
                                            : read_pairs(files.tsv, files.header)};
  split.files.header = split.text.numbers.front() > 1 ? HeaderLine::present : HeaderLine::absent;
  if (!files.types.empty()) {
    split.types = read_types(files.types, files.source_file(), split.text.source.size());
  }
  return split;
}

std::vector<TypeGroup> type_groups(const std::vector<std::string>& option,
                                   const std::vector<Split>& splits) {
  std::set<std::string, std::less<>> types;
  for (const Split& split : splits) {
    types.insert(split.types.begin(), split.types.end());
  }
  std::vector<TypeGroup> groups;
  for (const std::string& text : option) {
    const TypeGroup& group = groups.emplace_back(parse_type_group(text));
    if (types.contains(group.name)) {
      throw DataError("task.type_groups: {} is the name of a type; give the group another name",
                      group.name);
    }
    for (const std::string& type : group.types) {
      if (!types.contains(type)) {
        throw DataError("task.type_groups: {}: no example has the type {} (there are {})",
                        group.name, type, join(types, ", "));
      }
    }
  }
  return groups;
}

}  // namespace tapehead

#include "datasets/text/example_types.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "datasets/text/text_file.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

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

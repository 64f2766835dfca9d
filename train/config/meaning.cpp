#include "train/config/meaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/text.hpp"
#include "nn/options/attention_settings.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"

namespace tapehead {
namespace {

// In a resolved config the section `attention` has no effect any more.
bool is_of_model(std::string_view section) {
  return section == "model" ||
         std::ranges::find(attention_kind_names, section) != attention_kind_names.end();
}

}  // namespace

std::map<std::string, std::string> meaning_of(const Config& config) {
  Config copy = config;  // rows point into their config
  std::map<std::string, std::string> meaning;
  for (const Section& section : sections(copy)) {
    for (const Row& row : section.rows) {
      if (is_of_model(section.name) && !row.field.keeps_meaning) {
        meaning[full_name(section.name, row.field.name)] = write_value(row);
      }
    }
  }
  return meaning;
}

std::vector<std::string> meaning_differences(const Config& theirs, const Config& ours) {
  std::vector<std::string> differing;
  const auto other = meaning_of(theirs);
  for (const auto& [option, value] : meaning_of(ours)) {
    if (other.at(option) != value) {
      differing.push_back(fmt::format("{}: {}, not {}", option, other.at(option), value));
    }
  }
  return differing;
}

std::string some_of(std::vector<std::string> differences) {
  constexpr std::size_t most = 3;
  std::ranges::stable_partition(differences,
                                [](const std::string& one) { return one.starts_with("model."); });
  if (differences.size() <= most) {
    return join(differences, "; ");
  }
  const std::vector<std::string> first(differences.begin(), differences.begin() + most);
  return fmt::format("{} and {} more", join(first, "; "), differences.size() - most);
}

}  // namespace tapehead

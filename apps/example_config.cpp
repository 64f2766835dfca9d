#include "apps/example_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "core/shown.hpp"
#include "train/config/nearest.hpp"
#include "train/output/program_path.hpp"

namespace tapehead {

namespace {

namespace fs = std::filesystem;

fs::path example_folder() {
  const fs::path own = running_program().parent_path();
  for (const std::string_view place : {
           "../configs",                       // build/tapehead
           "../../configs",                    // build/asan/tapehead
           "../share/tapehead/configs",        // bin/tapehead
           "../../../share/tapehead/configs",  // lib/tapehead/avx2/tapehead
       }) {
    if (fs::is_regular_file(own / place / "copy.yaml")) {
      return (own / place).lexically_normal();
    }
  }
  throw ConfigError(fmt::format(
      "{} has no configs in its installation; give a config file, or keep bin, lib and share "
      "together",
      shown(own.string())));
}

}  // namespace

fs::path example_config(const std::string& name) {
  const fs::path folder = example_folder();
  std::vector<std::string> names;
  for (const fs::path& entry : entries_of(folder)) {
    if (entry.extension() == ".yaml") {
      names.push_back(entry.stem().string());
    }
  }
  std::ranges::sort(names);
  if (std::ranges::binary_search(names, name)) {
    return folder / (name + ".yaml");
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto meant = nearest(name, candidates);
  throw ConfigError(fmt::format(
      "there is no example {}; {}", shown(name),
      meant ? fmt::format("did you mean {}?", *meant)
            : fmt::format("there are {} in {}", fmt::join(names, ", "), shown(folder.string()))));
}

}  // namespace tapehead

#include "apps/examples.hpp"

#include "core/files/process.hpp"
#include "core/text.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

fs::path example_folder() {
  const fs::path own = own_program().parent_path();
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
  throw ConfigError(
      "{} has no configs in its installation; give a config file, or keep bin, lib and share "
      "together",
      shown(own.string()));
}

fs::path find_example(const std::string& name, ExampleFile kind) {
  const fs::path folder = example_folder();
  const auto is_wanted = [&](const fs::path& entry) {  // only a sweep names a config
    return entry.extension() == ".yaml" &&
           (kind == ExampleFile::sweep) ==
               (read_file(entry).find("\nconfig: ") != std::string::npos);
  };
  auto names = mapped(entries_of(folder) | std::views::filter(is_wanted),
                      [](const fs::path& entry) { return entry.stem().string(); });
  std::ranges::sort(names);
  if (std::ranges::binary_search(names, name)) {
    return folder / (name + ".yaml");
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto meant = nearest(name, candidates);
  throw ConfigError(
      "there is no example {}; {}", shown(name),
      meant ? fmt::format("did you mean {}?", *meant)
            : fmt::format("there are {} in {}", fmt::join(names, ", "), shown(folder.string())));
}

}  // namespace tapehead

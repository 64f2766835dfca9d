#include "datasets/task.hpp"

#include <spdlog/spdlog.h>

namespace tapehead {

Split first_examples(const Split& split, Index count) {
  std::vector<Index> numbers(static_cast<std::size_t>(std::min(count, split.size())));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  return {.name = split.name,
          .source = part_of(split.source, numbers),
          .kind = split.kind,
          .text = split.text};
}

void say_unknown(const Split& split) {
  for (const auto& [side, unknown] :
       {std::pair{"source", &split.unknown_source}, std::pair{"target", &split.unknown_target}}) {
    if (unknown->any()) {
      spdlog::info("{} split, {} side: {}", split.name, side, describe(*unknown));
    }
  }
}

const Split& Task::split(std::string_view name) const {
  const auto found = std::ranges::find(splits, name, &Split::name);
  if (found != splits.end()) {
    return *found;
  }
  std::string names;
  for (const Split& split : splits) {
    names += (names.empty() ? "" : ", ") + split.name;
  }
  throw DataError(fmt::format("no split named {}; this task has {}", name, names));
}

std::shared_ptr<const Source> Task::training(Index epoch) const {
  return draw_training ? draw_training(epoch) : split("train").source;
}

}  // namespace tapehead

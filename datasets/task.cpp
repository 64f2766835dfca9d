#include "datasets/task.hpp"

#include <spdlog/spdlog.h>

#include "core/text.hpp"

namespace tapehead {

Split first_examples(const Split& split, Index count) {
  const auto numbers = mapped(numbers_below(std::min(count, split.size())), std::identity());
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
  throw DataError(
      "no split named {}; this task has {}: choose one (--split; in the file of a sweep, split)",
      name, join(splits | std::views::transform(&Split::name), ", "));
}

std::shared_ptr<const Source> Task::training(Index epoch) const {
  return draw_training ? draw_training(epoch) : split("train").source;
}

}  // namespace tapehead

#include "datasets/task.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/errors.hpp"

namespace tapehead {

namespace {

void leave_out_unmaskable(TextWindows& windows) {
  windows.list = maskable_windows(*windows.text, windows.list);
}

}  // namespace

Split part_of(const Split& split, std::span<const Index> numbers) {
  Split part;
  part.name = split.name;
  part.classes = split.classes;
  if (split.is_text()) {
    part.windows = {.text = split.windows.text,
                    .windowing = split.windows.windowing,
                    .list = split.windows.list.with({numbers.begin(), numbers.end()}),
                    .masking = split.windows.masking,
                    .memory = split.windows.memory};
    return part;
  }
  for (const Index number : numbers) {
    part.examples.push_back(split.examples[static_cast<std::size_t>(number)]);
  }
  return part;
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
  const auto found =
      std::ranges::find_if(splits, [&](const Split& split) { return split.name == name; });
  if (found != splits.end()) {
    return *found;
  }
  std::string names;
  for (const Split& split : splits) {
    names += (names.empty() ? "" : ", ") + split.name;
  }
  throw DataError(fmt::format("no split named {}; this task has {}", name, names));
}

void Task::set_stride(Index stride) {
  for (Split& split : splits) {
    if (split.is_text()) {
      split.windows.list = evaluation_windows(*split.windows.text, split.windows.windowing, stride);
      if (masked) {
        leave_out_unmaskable(split.windows);
      }
    }
  }
}

void Task::set_context(Index context) {
  for (Split& split : splits) {
    split.windows.windowing.context = context;
  }
  set_stride(context);
}

void Task::set_masked() {
  masked = true;
  for (Split& split : splits) {
    leave_out_unmaskable(split.windows);
  }
}

std::shared_ptr<const Split> Task::training_split(Index epoch) const {
  if (!draw_training_split) {
    return {std::shared_ptr<void>(), &split("train")};  // owns nothing
  }
  std::shared_ptr<const Split> drawn = draw_training_split(epoch);
  if (!masked) {
    return drawn;
  }
  auto maskable = std::make_shared<Split>(*drawn);
  leave_out_unmaskable(maskable->windows);
  return maskable;
}

}  // namespace tapehead

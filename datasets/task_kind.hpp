// What a kind of task is: its name, its options, and all that depends on these. A new one is a
// module that defines a TaskKind, and a row in datasets/task_kinds.cpp.
#pragma once

#include <any>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/hash.hpp"
#include "core/member_count.hpp"
#include "core/option_rows.hpp"
#include "core/violation.hpp"
#include "datasets/shrinking.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// What options must satisfy together; a violation has each as "section.option".
struct TaskRule {
  std::string_view says;  // for the reference
  std::optional<Violation> (*check)(const TaskOptions&);

  bool operator==(const TaskRule&) const = default;
};

// The tokens of the longest source or target that a task may have, marks apart, and the option that
// most decides it; 0 where the options do not say.
struct LongestSide {
  Index tokens = 0;
  std::string_view option = "task.max_length";
};

// A struct of options whose type only the task's own module knows.
struct OptionsType {
  std::any (*defaults)();
  std::vector<Row> (*rows)(std::any& value);  // they point into the value
  std::size_t members;
};

template <class Options>
inline constexpr OptionsType options_type{
    .defaults = []() -> std::any { return Options{}; },
    .rows = [](std::any& value) { return rows_of(*std::any_cast<Options>(&value)); },
    .members = member_count<Options>()};

// The options of a kind, in the order in which they stand in its section.
template <class... Options>
inline constexpr std::array<OptionsType, sizeof...(Options)> options_of{options_type<Options>...};

struct TaskKind {
  std::string_view name;
  std::span<const OptionsType> options;
  std::span<const TaskRule> rules{};
  LongestSide (*longest)(const TaskOptions&) = [](const TaskOptions&) { return LongestSide{}; };
  // The splits that it will have.
  std::vector<std::string> (*splits)(const TaskOptions&) = [](const TaskOptions&) {
    return std::vector<std::string>{"train", "validation", "test"};
  };
  // With little data, and short sequences where they may be short.
  void (*shrink)(TaskOptions&, const Shrinking&);
  // Its options that name a file to read.
  std::span<const std::string_view> files{};
  // Adds the options that decide how epochs see the training split.
  void (*add_draws)(const TaskOptions&, Hash&) = [](const TaskOptions&, Hash&) {};
  // Fills everything but the fingerprint.
  Task (*make)(const TaskOptions&, std::uint64_t seed, const std::filesystem::path& tokenizers);
};

// All there are; the first is that of a config which names none.
std::span<const TaskKind* const> task_kinds();

const TaskKind& task_kind(std::string_view name);  // throws ConfigError where there is none

// The rows of the section, `name` first. Where that chooses another kind, the others are no more.
std::vector<Row> rows_of(TaskOptions& options);

}  // namespace tapehead

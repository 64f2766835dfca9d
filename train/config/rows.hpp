// Rows: the options of a config as values to walk over at run time, so that reader, writer, schema
// and reference need no templates.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "train/options.hpp"

namespace tapehead {

// A member that is one of several names, whatever its enumeration.
struct Choice {
  std::span<const std::string_view> names;
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;
};

// A member that has a notation of its own.
struct Notation {
  std::string_view allowed;
  std::function<std::string()> get;
  std::function<void(std::string_view)> set;  // throws ConfigError with what is wrong alone
};

struct Element;

// A member that may differ from layer to layer and, where `by_head`, from head to head; empty:
// auto. One value at a time goes through `element`.
struct LayeredCell {
  bool by_head = false;
  std::shared_ptr<Element> element;
  std::function<void()> clear;
  std::function<void()> begin_layer;
  std::function<void()> append;  // the element's value, to the last layer
  std::function<Index()> layers;
  std::function<Index(Index layer)> heads;  // values of a layer
  std::function<void(Index layer, Index head)> to_element;
};

using Cell =
    std::variant<bool*, Index*, double*, std::uint64_t*, std::string*, std::optional<Index>*,
                 std::optional<double>*, Choice, Notation, LayeredCell>;

struct Element {
  Cell cell;
};

struct Row {
  Field field;
  Cell cell;  // points into the config
};

struct Section {
  std::string_view name;  // empty for the options that stand outside any section
  std::string_view help;
  std::vector<Row> rows;
};

// Every option of the config, the task section with the options of its `task.name`.
std::vector<Section> sections(Config& config);

// "section.option", or the option alone outside any section.
std::string full_name(std::string_view section, std::string_view option);

// The tasks that share their options, by group.
std::vector<std::vector<TaskName>> task_groups();

std::string_view task_text(TaskName name);

// The defaults, with this task.
Config config_for(TaskName name);

// An option whose absence means `auto`.
bool is_optional(const Row& row);

}  // namespace tapehead

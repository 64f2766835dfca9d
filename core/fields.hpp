// Fields describe the options of a config section: the name, the help text and the valid range of
// each.
#pragma once

#include <array>
#include <limits>
#include <string_view>

namespace tapehead {

// Describes an option, apart from its type and default. A section lists its fields once, in
// `template <class Visitor> void fields(Visitor&& visit)`, with `visit(Field{...}, member)`. The
// config reader, the dump, the schema and the reference all use that list.
struct Field {
  std::string_view name;
  std::string_view help;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::string_view unit = "";
  bool exclusive_minimum = false;  // for divisors: (0, ...
  bool exclusive_maximum = false;  // for probabilities: [0, 1)
  // For options of a model: true if trained weights mean the same under any value. All other
  // options are part of a checkpoint's identity (train/config/meaning.hpp).
  bool keeps_meaning = false;
  // True if a resumed training cannot change it: it decided how the training began, or what state
  // its checkpoints have.
  bool kept_by_resume = false;
};

// An enumeration that is used as an option specialises this with `static constexpr
// std::array<std::string_view, n> names`, in the order of its values.
template <class Enum>
struct EnumNames;

}  // namespace tapehead

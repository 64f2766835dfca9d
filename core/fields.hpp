// Fields: the row that stands beside each option of a config section and says what may be written
// there.
#pragma once

#include <array>
#include <limits>
#include <string_view>

namespace tapehead {

// What is known of an option apart from its type and default. A section lists its fields once, in
// `template <class Visitor> void fields(Visitor&& visit)`, by `visit(Field{...}, member)`; the
// config reader, the dump, the schema and the reference all come from that list.
struct Field {
  std::string_view name;
  std::string_view help;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::string_view unit = "";
  bool exclusive_minimum = false;  // for what is divided by: (0, ...
  bool exclusive_maximum = false;  // for probabilities: [0, 1)
  // Of a model's options: trained weights mean the same under any value of it. All others are part
  // of a checkpoint's identity (train/config/meaning.hpp).
  bool keeps_meaning = false;
};

// An enumeration that may stand in a config specialises this with `static constexpr
// std::array<std::string_view, n> names`, in the order of its values.
template <class Enum>
struct EnumNames;

}  // namespace tapehead

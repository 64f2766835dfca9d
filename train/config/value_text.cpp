// Describes in words which values an option may have.

#include "core/text.hpp"
#include "train/config/values.hpp"

namespace tapehead {
namespace {

struct TypeText {
  std::string_view operator()(const bool*) const { return "true or false"; }
  std::string_view operator()(const Index*) const { return "whole number"; }
  std::string_view operator()(const double*) const { return "number"; }
  std::string_view operator()(const std::uint64_t*) const { return "whole number"; }
  std::string_view operator()(const std::string*) const { return "text"; }
  std::string_view operator()(const std::vector<std::string>*) const { return "list of texts"; }
  std::string_view operator()(const std::optional<Index>*) const { return "whole number"; }
  std::string_view operator()(const std::optional<double>*) const { return "number"; }
  std::string_view operator()(const Choice&) const { return "choice"; }
  std::string_view operator()(const Notation& notation) const {
    return notation.also_number ? "whole number or text" : "text";
  }
  std::string_view operator()(const LayeredCell& list) const {
    return std::visit(*this, list.element->cell);
  }
};

std::string limit_text(double value) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (value == std::floor(value) && std::abs(value) < exact) {
    return fmt::format("{:.0f}", value);
  }
  return number_text(value);
}

}  // namespace

std::string type_text(const Row& row) {
  std::string type(std::visit(TypeText{}, row.cell));
  const auto* list = std::get_if<LayeredCell>(&row.cell);
  if (list == nullptr) {
    return type;
  }
  return type + (list->by_head ? ", or a list over heads, or over layers of such lists"
                               : ", or a list over layers");
}

std::string range_text(const Row& row) {
  if (const auto* list = std::get_if<LayeredCell>(&row.cell)) {
    return range_text({row.field, list->element->cell});
  }
  if (const auto* notation = std::get_if<Notation>(&row.cell)) {
    return std::string(notation->allowed);
  }
  if (const auto* choice = std::get_if<Choice>(&row.cell)) {
    return join(choice->names, ", ");
  }
  if (std::holds_alternative<std::uint64_t*>(row.cell)) {
    return fmt::format("0 to {}", std::numeric_limits<std::uint64_t>::max());
  }
  const Field& field = row.field;
  if (std::isinf(field.minimum) && std::isinf(field.maximum)) {
    return "";
  }
  const std::string range = (field.exclusive_minimum ? "above " : "") + limit_text(field.minimum);
  if (std::isinf(field.maximum)) {
    return range + (field.exclusive_minimum ? "" : " or more");
  }
  const char* joint = field.exclusive_maximum ? " to below " : " to ";
  if (field.exclusive_minimum) {
    joint = field.exclusive_maximum ? ", below " : ", at most ";
  }
  return range + joint + limit_text(field.maximum);
}

std::string allowed_text(const Row& row) {
  std::string allowed = range_text(row);
  if (!std::holds_alternative<Choice>(row.cell)) {
    allowed = type_text(row) + (allowed.empty() ? "" : ", " + allowed);
  }
  return is_optional(row) ? allowed + ", or auto" : allowed;
}

std::string meaning_text(const Field& field) {
  std::string text(field.help);
  for (const When& when : field.when) {
    if (!when.option.empty()) {
      text += fmt::format("; only {} {}", when.is_default ? "without" : "with", when.option);
      text += when.choices().empty() ? "" : " " + join(when.choices(), ", ");
    }
  }
  return text;
}

}  // namespace tapehead

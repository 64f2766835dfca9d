#include "core/option_rows.hpp"

#include "core/text.hpp"

namespace tapehead {
namespace {

struct SameValue {
  const Cell& other;

  template <class Member>
  bool operator()(Member* member) const {
    return *member == *std::get<Member*>(other);
  }
  bool operator()(const Choice& choice) const {
    return choice.get() == std::get<Choice>(other).get();
  }
  bool operator()(const Notation& notation) const {
    return notation.get() == std::get<Notation>(other).get();
  }
  bool operator()(const LayeredCell&) const { return true; }
};

bool is_default(const OptionRow& option) {
  return std::visit(SameValue{option.standard.cell}, option.row.cell);
}

// Why the condition does not hold; empty if it holds.
std::string missing(const When& when, const OptionRow& other) {
  const std::span<const std::string_view> users = when.choices();
  if (users.empty()) {
    return is_default(other) == when.is_default ? ""
           : when.is_default                    ? fmt::format("beside {}", other.name)
                             : fmt::format("while {} has its default", other.name);
  }
  const Choice& choice = std::get<Choice>(other.row.cell);
  const std::string_view value = choice.names[choice.get()];
  return std::ranges::find(users, value) != users.end()
             ? ""
             : fmt::format("with {} {} (only with {})", other.name, value, join(users, ", "));
}

}  // namespace

void add_option_rows(std::string_view section, const std::vector<Row>& rows,
                     const std::vector<Row>& defaults, std::vector<OptionRow>& all) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all.push_back({fmt::format("{}{}{}", section, section.empty() ? "" : ".", rows[i].field.name),
                   rows[i], defaults[i]});
  }
}

std::optional<Violation> option_without_effect(std::span<const OptionRow> rows) {
  for (const OptionRow& option : rows) {
    for (const When& when : option.row.field.when) {
      if (when.option.empty() || is_default(option)) {
        break;
      }
      const auto other = std::ranges::find(rows, when.option, &OptionRow::name);
      const std::string reason = other == rows.end() ? "" : missing(when, *other);
      if (!reason.empty()) {
        return Violation{{option.name, other->name}, fmt::format("has no effect {}", reason)};
      }
    }
  }
  return {};
}

}  // namespace tapehead

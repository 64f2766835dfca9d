#include "core/gradcheck/diagnosis/verdict.hpp"

#include "core/text.hpp"

namespace tapehead {

std::string_view name_of(Verdict verdict) {
  constexpr auto names = std::to_array<std::string_view>(
      {"correct", "wrong", "kink nearby", "too little precision", "cannot tell", "nondeterministic",
       "unused input", "not accumulated", "input overwritten", "not finite", "not written",
       "wrong shape", "failed"});
  return names.at(static_cast<std::size_t>(verdict));
}

std::string_view name_of(WrongKind kind) {
  constexpr auto names = std::to_array<std::string_view>(
      {"", "sign", "constant factor", "no gradient", "transposed", "one element", "only some rows",
       "only some columns", "rows exchanged", "gradient where there is none",
       "broadcast not summed", "cotangent ignored", "term missing or wrong"});
  return names.at(static_cast<std::size_t>(kind));
}

std::string factor_text(double factor, int digits) {
  std::string text = fmt::format("{:.{}g}", factor, digits);
  return text == "1" && factor != 1
             ? fmt::format("1 {} {:.1g}", factor > 1 ? '+' : '-', std::abs(factor - 1))
             : text;
}

std::string describe(const Finding& finding) {
  std::string text = finding.subject;
  const auto add = [&text](const char* before, std::string_view part) {
    text += part.empty() ? "" : fmt::format("{}{}", before, part);
  };
  add(": ", finding.element);
  add(": ", name_of(finding.verdict));
  if (finding.kind != WrongKind::none) {
    text += fmt::format(" ({})", name_of(finding.kind));
  }
  if (finding.compared) {
    text += fmt::format("\n  backward     {:.10g}\n  differences  {:.10g}, give or take {:.1g}",
                        finding.analytic, finding.numeric, finding.numeric_error);
    if (finding.numeric != 0 && std::isfinite(finding.analytic)) {
      text += fmt::format("; ratio {}",
                          factor_text(finding.analytic / finding.numeric + 0.0));  // + 0.0: no "-0"
    }
  }
  add("\n  ", finding.extent);
  add("\n  seen ", finding.probe);
  add("\n  hint: ", finding.hint);
  return text;
}

std::string GradcheckReport::message() const {
  return join(findings | std::views::transform(describe), "\n");
}

}  // namespace tapehead

#include "core/gradcheck/diagnosis/verdict.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tapehead {

namespace {

constexpr std::array<std::string_view, 13> verdict_names{
    "correct",          "wrong",        "kink nearby",     "too little precision", "cannot tell",
    "nondeterministic", "unused input", "not accumulated", "input overwritten",    "not finite",
    "not written",      "wrong shape",  "failed"};

constexpr std::array<std::string_view, 13> kind_names{"",
                                                      "sign",
                                                      "constant factor",
                                                      "no gradient",
                                                      "transposed",
                                                      "one element",
                                                      "only some rows",
                                                      "only some columns",
                                                      "rows exchanged",
                                                      "gradient where there is none",
                                                      "broadcast not summed",
                                                      "cotangent ignored",
                                                      "term missing or wrong"};

}  // namespace

std::string_view name_of(Verdict verdict) {
  return verdict_names.at(static_cast<std::size_t>(verdict));
}

std::string_view name_of(WrongKind kind) { return kind_names.at(static_cast<std::size_t>(kind)); }

std::string factor_text(double factor, int digits) {
  std::string text = fmt::format("{:.{}g}", factor, digits);
  return text == "1" && factor != 1
             ? fmt::format("1 {} {:.1g}", factor > 1 ? '+' : '-', std::abs(factor - 1))
             : text;
}

std::string describe(const Finding& finding) {
  std::string text = finding.subject;
  if (!finding.element.empty()) {
    text += fmt::format(": {}", finding.element);
  }
  text += fmt::format(": {}", name_of(finding.verdict));
  if (finding.kind != WrongKind::none) {
    text += fmt::format(" ({})", name_of(finding.kind));
  }
  if (finding.compared) {
    text += fmt::format("\n  backward     {:.10g}\n  differences  {:.10g}, give or take {:.1g}",
                        finding.analytic, finding.numeric, finding.numeric_error);
    if (finding.numeric != 0 && std::isfinite(finding.analytic)) {
      text += fmt::format("; ratio {}",
                          factor_text(finding.analytic / finding.numeric + 0.0));  // no -0
    }
  }
  if (!finding.extent.empty()) {
    text += fmt::format("\n  {}", finding.extent);
  }
  if (!finding.probe.empty()) {
    text += fmt::format("\n  seen {}", finding.probe);
  }
  if (!finding.hint.empty()) {
    text += fmt::format("\n  hint: {}", finding.hint);
  }
  return text;
}

std::string GradcheckReport::message() const {
  std::string text;
  for (const Finding& finding : findings) {
    text += text.empty() ? "" : "\n";
    text += describe(finding);
  }
  return text;
}

}  // namespace tapehead

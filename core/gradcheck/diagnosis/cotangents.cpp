#include "core/gradcheck/diagnosis/cotangents.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "core/gradcheck/diagnosis/lines.hpp"

namespace tapehead {

namespace {

// What the gradient would be with another cotangent.
Estimate with_cotangent(const Jacobian& jacobian, Index input,
                        const std::function<double(std::size_t)>& cotangent) {
  const auto i = static_cast<std::size_t>(input);
  Estimate sum;
  for (std::size_t o = 0; o < jacobian.columns[i].size(); ++o) {
    sum.value += cotangent(o) * jacobian.columns[i][o];
    sum.error += std::abs(cotangent(o)) * jacobian.errors[i][o];
  }
  return sum;
}

}  // namespace

std::optional<WrongGradient> cotangent_ignored(const Comparison& c, const Jacobian& jacobian) {
  const auto sum = [&](Index i) {
    return with_cotangent(jacobian, i, [](std::size_t) { return 1; });
  };
  if (jacobian.columns.empty() || !is(c, sum)) {
    return {};
  }
  return WrongGradient{WrongKind::cotangent_ignored,
                       "right for dL/dy = 1 everywhere: g.output() is left out"};
}

std::optional<WrongGradient> not_summed(const Comparison& c, const Jacobian& jacobian) {
  if (jacobian.columns.empty()) {
    return {};
  }
  const Lines rows = rows_of(jacobian.output);
  for (Index row = 0; row < rows.count && rows.count > 1; ++row) {
    const auto share = [&](Index i) {
      return with_cotangent(jacobian, i, [&](std::size_t o) {
        return static_cast<Index>(o) / rows.length == row ? jacobian.cotangent[o] : 0;
      });
    };
    // Elements with a zero gradient are not one row's share of a sum.
    const auto short_of_a_sum = [&](Index i) {
      return c.wrong(i) && !alike(c.a(i), nothing_at(c, i));
    };
    if (rows.length > 0 && is(c, share) && any_element(c, short_of_a_sum)) {
      return WrongGradient{WrongKind::not_summed,
                           fmt::format("the share of the output's row {} alone: what was broadcast "
                                       "over {} rows forwards is summed over them backwards",
                                       row, rows.count)};
    }
  }
  return {};
}

}  // namespace tapehead

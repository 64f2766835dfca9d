// Mistakes at any scale: each is relative to the correct gradient and has an expected kind.
#pragma once

#include "core/gradcheck/diagnosis/verdict.hpp"
#include "tests/core/gradcheck/mutants/scaled_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct ScaledMutant {
  std::string name;
  WrongKind kind;
  SpoilGradient spoil;
};

inline SpoilGradient times_where(double factor,
                                 const std::function<bool(Index row, Index column)>& so) {
  return [factor, so](Tensor& dx, const Tensor&) {
    for (Index i = 0; i < dx.size(); ++i) {
      dx.data()[i] *= so(i / dx.dim(1), i % dx.dim(1)) ? factor : 1;
    }
  };
}

inline SpoilGradient times_all(double factor) {
  return times_where(factor, [](Index, Index) { return true; });
}

inline void lay_out_as_transposed(Tensor& dx, const Tensor& /*dy*/) {
  const Tensor right = dx.copy();
  for (Index i = 0; i < dx.size(); ++i) {
    dx.data()[i] = right.row(i % dx.dim(0))[i / dx.dim(0)];
  }
}

inline void turn_all_rows(Tensor& dx, const Tensor& /*dy*/) {
  const auto row = dx.values().begin() + dx.dim(1);
  std::rotate(dx.values().begin(), row, dx.values().end());
}

inline void leave_out_cotangent(Tensor& dx, const Tensor& dy) {
  for (Index i = 0; i < dx.size(); ++i) {
    dx.data()[i] /= dy.data()[i];
  }
}

inline std::vector<ScaledMutant> scaled_mutants() {
  return {
      {"sign", WrongKind::sign, times_all(-1)},
      {"twice", WrongKind::factor, times_all(2)},
      {"1.0001 times", WrongKind::factor, times_all(1.0001)},
      {"zeros", WrongKind::no_gradient, times_all(0)},
      {"one element", WrongKind::one_element,
       times_where(1.5, [](Index row, Index column) { return row == 1 && column == 2; })},
      {"no row", WrongKind::some_rows, times_where(0, [](Index row, Index) { return row == 2; })},
      {"half a column", WrongKind::some_columns,
       times_where(0.5, [](Index, Index column) { return column == 1; })},
      {"layout", WrongKind::transposed, lay_out_as_transposed},
      {"rows", WrongKind::rows_exchanged, turn_all_rows},
      {"ones", WrongKind::cotangent_ignored, leave_out_cotangent},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

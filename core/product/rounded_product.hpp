// Products of matrices of float32 whose numbers are rounded to bfloat16. With matrices of float64
// all functions here throw ConfigError.
#pragma once

#include "core/memory/pool.hpp"
#include "core/product/matrix_view.hpp"
#include "core/product/product_unit.hpp"

namespace tapehead {

// c = start + a b, where a is (rows, depth) and b (depth, columns) after their transpositions. Each
// number of a and b is rounded to the nearest bfloat16. If two are equally near, the even one is
// taken. Subnormal numbers become zero, and so do subnormal sums. `start` may be c itself. The
// order of additions depends on the unit and the depth alone.
void rounded_product(Index rows, Index columns, Index depth, const MatrixOf<float>& a,
                     const MatrixOf<float>& b, StartOf<float> start, float* c, Index c_stride,
                     const ProductUnit& unit = product_unit());
[[noreturn]] void rounded_product(Index rows, Index columns, Index depth, const MatrixOf<double>& a,
                                  const MatrixOf<double>& b, StartOf<double> start, double* c,
                                  Index c_stride);

// The b of rounded_product, packed once for many products, which have the same bits.
class RoundedMatrix {
 public:
  RoundedMatrix(const MatrixOf<float>& b, Index depth, Index columns);
  [[noreturn]] RoundedMatrix(const MatrixOf<double>& b, Index depth, Index columns);

  void product(Index rows, const MatrixOf<float>& a, StartOf<float> start, float* c,
               Index c_stride) const;
  [[noreturn]] void product(Index rows, const MatrixOf<double>& a, StartOf<double> start, double* c,
                            Index c_stride) const;

 private:
  Index depth_;
  Index columns_;
  Buffer words_;  // the blocks, one after another
};

}  // namespace tapehead

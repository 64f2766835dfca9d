#include "bench/machine_rates.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/clock.hpp"
#include "core/product/matrix_product.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead {

double product_rate(Index rows, Index columns, Index depth) {
  const Tensor a = Tensor::full({rows, depth}, 1);
  const Tensor b = Tensor::full({columns, depth}, 1);
  Tensor c = Tensor::zeros({rows, columns});
  const double flops = 2 * static_cast<double>(rows * columns * depth);
  const auto together = static_cast<Index>(std::max(1.0, 1e8 / flops));  // about a millisecond
  double best = 0;
  for (int i = 0; i < 8; ++i) {
    for (const auto product : {&blas_product, &matrix_product}) {
      const auto begin = Clock::now();
      for (Index k = 0; k < together; ++k) {
        product(rows, columns, depth, {a.data(), depth}, {b.data(), depth, true}, c.data(), columns,
                false);
      }
      best = std::max(best, static_cast<double>(together) * flops / seconds_since(begin) / 1e9);
    }
  }
  return best;
}

double sgemm_rate() { return product_rate(1024, 1024, 1024); }

double copy_rate() {
  constexpr std::size_t bytes = 64'000'000;
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes, 2);
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const auto begin = Clock::now();
    std::memcpy(to.data(), from.data(), bytes);
    const volatile char read = to[static_cast<std::size_t>(i)];  // so that the copy is made
    static_cast<void>(read);
    best = std::max(best, 2 * static_cast<double>(bytes) / seconds_since(begin) / 1e9);
  }
  return best;
}

}  // namespace tapehead

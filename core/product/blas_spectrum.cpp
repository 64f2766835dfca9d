#include "core/product/blas_spectrum.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <type_traits>

// The LAPACK wrappers that xtensor-blas is built on; they rely on the headers above.
#include <xflens/cxxblas/cxxblas.cxx>
#include <xflens/cxxlapack/cxxlapack.cxx>

#include <algorithm>

#include "core/errors.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// A square matrix, row after row.
struct Matrix {
  explicit Matrix(std::size_t rows) : n(rows), numbers(rows * rows) {}
  double& at(std::size_t i, std::size_t j) { return numbers[i * n + j]; }
  double at(std::size_t i, std::size_t j) const { return numbers[i * n + j]; }

  std::size_t n;
  std::vector<double> numbers;
};

double dot(const double* x, const double* y, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

// Row after row.
struct Rows {
  std::vector<double> numbers;
  std::size_t count;
  std::size_t columns;
};

Rows rows_of(const Tensor& a) {
  return {.numbers = std::vector<double>(a.values().begin(), a.values().end()),
          .count = static_cast<std::size_t>(a.dim(0)),
          .columns = static_cast<std::size_t>(a.dim(1))};
}

// Aᵀ B
Rows product(const Tensor& a, const Tensor& b) {
  const auto m = static_cast<std::size_t>(a.dim(1));
  const auto n = static_cast<std::size_t>(b.dim(1));
  Rows result{.numbers = std::vector<double>(m * n), .count = m, .columns = n};
  for (Index r = 0; r < a.dim(0); ++r) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        result.numbers[i * n + j] +=
            static_cast<double>(a.row(r)[i]) * static_cast<double>(b.row(r)[j]);
      }
    }
  }
  return result;
}

// A Aᵀ
Matrix gram(const Rows& a) {
  Matrix product(a.count);
  for (std::size_t i = 0; i < product.n; ++i) {
    for (std::size_t j = 0; j < product.n; ++j) {
      product.at(i, j) = dot(&a.numbers[i * a.columns], &a.numbers[j * a.columns], a.columns);
    }
  }
  return product;
}

// A B of symmetric matrices
Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix product(a.n);
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t j = 0; j < a.n; ++j) {
      product.at(i, j) = dot(&a.numbers[i * a.n], &b.numbers[j * a.n], a.n);
    }
  }
  return product;
}

// Eigenvalues of a symmetric matrix. If `vectors`, its rows become the eigenvectors.
std::vector<double> eigenvalues(Matrix& matrix, bool vectors) {
  const auto n = static_cast<int>(matrix.n);
  const int work_size = 34 * n;  // (block size + 2) n: with blocks of 32 columns
  std::vector<double> values(matrix.n);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  const int info = cxxlapack::syev<int>(vectors ? 'V' : 'N', 'L', n, matrix.numbers.data(), n,
                                        values.data(), work.data(), work_size);
  if (info != 0) {
    throw NumericError(
        "the eigenvalues of a matrix of weights were not found: its numbers are too large, or not "
        "finite");
  }
  return values;
}

// The symmetric root of a positive semidefinite matrix: Vᵀ sqrt(Λ) V, where the rows of V are
// eigenvectors.
Matrix root(Matrix matrix) {
  const std::vector<double> values = eigenvalues(matrix, true);
  Matrix result(matrix.n);
  for (std::size_t k = 0; k < matrix.n; ++k) {
    const double scale = std::sqrt(std::max(0.0, values[k]));
    for (std::size_t i = 0; i < matrix.n; ++i) {
      for (std::size_t j = 0; j < matrix.n; ++j) {
        result.at(i, j) += scale * matrix.at(k, i) * matrix.at(k, j);
      }
    }
  }
  return result;
}

// Symmetric except for rounding; LAPACK reads one triangle. It is (Aᵀ B)(Aᵀ B)ᵀ = Aᵀ (B Bᵀ) A, (m,
// m); or, if A has fewer rows than columns, R (B Bᵀ) R, (d, d), which has the same eigenvalues
// except 0. R is the root of A Aᵀ.
Matrix squared_product(const Tensor& a, const Tensor& b) {
  if (a.dim(0) > a.dim(1)) {
    return gram(product(a, b));
  }
  const Matrix half = root(gram(rows_of(a)));
  return half * gram(rows_of(b)) * half;  // (R G) R uses R's rows as its columns
}

}  // namespace

std::vector<double> product_singular_values(const Tensor& a, const Tensor& b) {
  if (a.dim(0) == 0) {
    return {};
  }
  Matrix square = squared_product(a, b);
  std::vector<double> values = eigenvalues(square, false);
  for (double& value : values) {
    value = std::sqrt(std::max(0.0, value));
  }
  std::ranges::sort(values, std::greater<>());
  return values;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

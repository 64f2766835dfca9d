// Singular values, by LAPACK.

#include "core/product/matrix_product.hpp"

#include <complex>

// The LAPACK wrappers that xtensor-blas is built on; they rely on the headers above.
#include <xflens/cxxblas/cxxblas.cxx>
#include <xflens/cxxlapack/cxxlapack.cxx>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// A row-major matrix.
struct Matrix {
  Matrix(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), numbers(rows * columns) {}
  double* row(std::size_t i) { return &numbers[i * columns]; }
  const double* row(std::size_t i) const { return &numbers[i * columns]; }

  std::size_t rows;
  std::size_t columns;
  std::vector<double> numbers;
};

Matrix matrix_of(const Tensor& a) {
  Matrix matrix(static_cast<std::size_t>(a.dim(0)), static_cast<std::size_t>(a.dim(1)));
  std::ranges::copy(a.values(), matrix.numbers.begin());
  return matrix;
}

// Aᵀ B
Matrix transposed_product(const Tensor& a, const Tensor& b) {
  Matrix result(static_cast<std::size_t>(a.dim(1)), static_cast<std::size_t>(b.dim(1)));
  for (Index r = 0; r < a.dim(0); ++r) {
    for (std::size_t i = 0; i < result.rows; ++i) {
      for (std::size_t j = 0; j < result.columns; ++j) {
        result.row(i)[j] += static_cast<double>(a.row(r)[i]) * static_cast<double>(b.row(r)[j]);
      }
    }
  }
  return result;
}

// A Bᵀ; for a symmetric B also A B
Matrix product_with_transpose(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.rows; ++j) {
      result.row(i)[j] = std::inner_product(a.row(i), a.row(i) + a.columns, b.row(j), 0.0);
    }
  }
  return result;
}

Matrix gram(const Matrix& a) { return product_with_transpose(a, a); }

// Eigenvalues of a symmetric matrix. If `vectors`, its rows become the eigenvectors.
std::vector<double> eigenvalues(Matrix& matrix, bool vectors) {
  const auto n = static_cast<int>(matrix.rows);
  const int work_size = 34 * n;  // (block size + 2) n: with blocks of 32 columns
  std::vector<double> values(matrix.rows);
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

// The root of a positive semidefinite matrix: Vᵀ sqrt(Λ) V, with eigenvectors as rows of V.
Matrix root(Matrix matrix) {
  const std::vector<double> values = eigenvalues(matrix, true);
  Matrix result(matrix.rows, matrix.rows);
  for (std::size_t k = 0; k < matrix.rows; ++k) {
    const double scale = std::sqrt(std::max(0.0, values[k]));
    const double* const vector = matrix.row(k);
    for (std::size_t i = 0; i < matrix.rows; ++i) {
      for (std::size_t j = 0; j < matrix.rows; ++j) {
        result.row(i)[j] += scale * vector[i] * vector[j];
      }
    }
  }
  return result;
}

// The product (Aᵀ B)(Aᵀ B)ᵀ = Aᵀ (B Bᵀ) A, (m, m). If A has no more rows than columns: R (B Bᵀ) R,
// (d, d), with the root R of A Aᵀ, which has the same eigenvalues except 0. The result is symmetric
// except for rounding; LAPACK reads one triangle.
Matrix squared_product(const Tensor& a, const Tensor& b) {
  if (a.dim(0) > a.dim(1)) {
    return gram(transposed_product(a, b));
  }
  const Matrix half = root(gram(matrix_of(a)));
  const Matrix product = product_with_transpose(half, gram(matrix_of(b)));
  return product_with_transpose(product, half);
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

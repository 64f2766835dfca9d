#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "bench/beside_pytorch/case.hpp"
#include "bench/beside_pytorch/pieces.hpp"
#include "bench/beside_pytorch/plain_loops.hpp"
#include "core/errors.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Vars = std::vector<Var>;

// y = a - b.  The minus is forgotten: db = dy.
Var minus_forgotten(Tape& tape, const Vars& in) {
  Tensor y = each(std::minus<>(), in[0].value(), in[1].value());
  return tape.record("subtract", in, std::move(y), [](Gradients& g) {
    g.add(0, g.output());
    g.add(1, g.output());
  });
}

// y = Σ_n x_n / N.  Not divided: dx_n = dy.
Var mean_not_divided(Tape& tape, const Vars& x) {
  Tensor y = row_means(transposed(x[0].value()));
  return tape.record("mean", x, std::move(y), [x = x[0].value()](Gradients& g) {
    g.add(0, matrix_of(x.dim(0), x.dim(1), [&](Index, Index d) { return g.output().data()[d]; }));
  });
}

// y = a b, of square matrices.  Transposed: db = (aᵀ dy)ᵀ.
Var product_transposed(Tape& tape, const Vars& in) {
  Tensor y = product(in[0].value(), in[1].value());
  return tape.record("product", in, std::move(y),
                     [a = in[0].value(), b = in[1].value()](Gradients& g) {
                       g.add(0, product(g.output(), transposed(b)));
                       g.add(1, transposed(product(transposed(a), g.output())));
                     });
}

// y = x + b, for each row.  Not summed: db = dy_0.
Var bias_not_summed(Tape& tape, const Vars& in) {
  const Tensor x = in[0].value();
  const Tensor bias = in[1].value();
  Tensor y =
      matrix_of(x.dim(0), x.dim(1), [&](Index n, Index d) { return x.row(n)[d] + bias.data()[d]; });
  return tape.record("add_bias", in, std::move(y), [D = x.dim(1)](Gradients& g) {
    g.add(0, g.output());
    g.add(1, g.output().part(0, {D}));
  });
}

// y = x².  dx = 2 x ∘ dy, but for the last row.
Var last_row_left_out(Tape& tape, const Vars& x) {
  Tensor y = each([](Scalar a) { return a * a; }, x[0].value());
  return tape.record("square", x, std::move(y), [x = x[0].value()](Gradients& g) {
    g.add(0, matrix_of(x.dim(0), x.dim(1), [&](Index n, Index d) {
            return n + 1 < x.dim(0) ? 2 * x.row(n)[d] * g.output().row(n)[d] : 0;
          }));
  });
}

// y = tanh(x).  dx = (1 - y²) ∘ dy, and 1e-3 more in one place.
Var one_element_off(Tape& tape, const Vars& x) {
  const Tensor y = each([](Scalar a) { return std::tanh(a); }, x[0].value());
  return tape.record("tanh", x, y, [y](Gradients& g) {
    Tensor dx = each([](Scalar b, Scalar d) { return (1 - b * b) * d; }, y, g.output());
    dx.row(1)[2] += 1e-3;
    g.add(0, std::move(dx));
  });
}

// y = log10(x).  dx = dy / x / ln 10, with four digits of 1 / ln 10 = 0.4342945.
Var constant_rounded(Tape& tape, const Vars& x) {
  Tensor y = each([](Scalar a) { return std::log10(a); }, x[0].value());
  return tape.record("log10", x, std::move(y), [x = x[0].value()](Gradients& g) {
    g.add(0, each([](Scalar a, Scalar d) { return 0.4343 * d / a; }, x, g.output()));
  });
}

// y = σ(x).  dx = y ∘ (1 - y): dy is left out.
Var cotangent_ignored(Tape& tape, const Vars& x) {
  const Tensor y = each([](Scalar a) { return 1 / (1 + std::exp(-a)); }, x[0].value());
  return tape.record("sigmoid", x, y, [y](Gradients& g) {
    g.add(0, each([](Scalar b) { return b * (1 - b); }, y));
  });
}

// y = x ∘ gain, for each row.  The gain gets nothing.
Var gain_forgotten(Tape& tape, const Vars& in) {
  const Tensor gain = in[1].value();
  const auto times_gain = [gain](const Tensor& rows) {
    return matrix_of(rows.dim(0), rows.dim(1),
                     [&](Index n, Index d) { return rows.row(n)[d] * gain.data()[d]; });
  };
  return tape.record("multiply", in, times_gain(in[0].value()),
                     [times_gain](Gradients& g) { g.add(0, times_gain(g.output())); });
}

// y = sin(x) / x, and 1 where x is 0.  dx = dy ∘ (cos(x) - y) / x, which is 0 / 0 there.
Var quotient_unguarded(Tape& tape, const Vars& x) {
  const Tensor y = each([](Scalar a) { return a == 0 ? 1 : std::sin(a) / a; }, x[0].value());
  return tape.record("sinc", x, y, [x = x[0].value(), y](Gradients& g) {
    g.add(0, each([](Scalar a, Scalar b, Scalar d) { return d * (std::cos(a) - b) / a; }, x, y,
                  g.output()));
  });
}

// y_n = table_id(n), where ids repeat.  Overwritten, not added to: dtable_id(n) = dy_n.
constexpr std::array<Index, 5> ids{2, 0, 2, 3, 0};

Var repeated_row_overwritten(Tape& tape, const Vars& table) {
  const Tensor rows = table[0].value();
  if (rows.dim(0) < 4) {
    throw ShapeError("lookup.table: too few rows in " + rows.shape().to_string());
  }
  Tensor y = matrix_of(std::ssize(ids), rows.dim(1), [&](Index n, Index d) {
    return rows.row(ids[static_cast<std::size_t>(n)])[d];
  });
  return tape.record("lookup", table, std::move(y), [shape = rows.shape()](Gradients& g) {
    Tensor dtable = Tensor::zeros(shape);
    Index n = 0;
    for (const Index id : ids) {
      std::copy_n(g.output().row(n++), shape[1], dtable.row(id));
    }
    g.add(0, std::move(dtable));
  });
}

}  // namespace

std::vector<Case> wrong_numbers() {
  const Tensor x = random_input(0, 3, 4);
  const Tensor positive = each([](Scalar a) { return std::abs(a); }, x);
  Tensor with_zero = x.copy();
  with_zero.row(1)[2] = 0;
  const Tensor like_x = random_input(1, 3, 4);
  const Tensor row = random_input(1, 4);
  return {
      {"minus_forgotten", {x, like_x}, minus_forgotten},
      {"mean_not_divided", {x}, mean_not_divided},
      {"product_transposed", {random_input(0, 3, 3), random_input(1, 3, 3)}, product_transposed},
      {"softmax_without_sum", {x}, softmax_with(Backward::wrong)},
      {"norm_without_variance", {x}, normalize_with(Backward::wrong)},
      {"gelu_slope", {x}, gelu_with(Backward::wrong)},
      {"mask_forgotten",
       {random_input(0, 4, 3), random_input(1, 4, 3), random_input(2, 4, 5)},
       causal_attention_with(Backward::wrong)},
      {"bias_not_summed", {x, row}, bias_not_summed},
      {"last_row_left_out", {x}, last_row_left_out},
      {"one_element_off", {x}, one_element_off},
      {"constant_rounded", {positive}, constant_rounded},
      {"cotangent_ignored", {x}, cotangent_ignored},
      {"gain_forgotten", {x, row}, gain_forgotten},
      {"quotient_unguarded", {with_zero}, quotient_unguarded},
      {"repeated_row_overwritten", {random_input(0, 4, 3)}, repeated_row_overwritten},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

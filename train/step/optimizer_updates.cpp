#include "train/step/optimizer_updates.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/product/matrix_product.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

GradientSums::GradientSums(const ParameterStore& store, std::span<const ShardGradients> shards,
                           const Slice& slice) {
  places_.reserve(static_cast<std::size_t>(store.blocks()));
  for (Index block = 0; block < store.blocks(); ++block) {
    const auto wrote = [block](const ShardGradients& shard) { return shard.written(block); };
    const auto shard = std::ranges::find_if(shards, wrote);
    if (store.frozen(block) || slice_of(store, block).overlap(slice).size() == 0) {
      places_.push_back({});
    } else if (shard == shards.end()) {
      places_.push_back({.memory = Tensor::zeros(store.block_shape(block)), .first = 0});
    } else {
      places_.push_back({.memory = shard->memory(block), .first = shard->first(block)});
    }
  }
}

// `sum` is the memory of the first shard. Adds the last shard, scales and squares in one pass.
double sum_gradients(const BlockRange& range, std::span<const ShardGradients> shards, Scalar scale,
                     Scalar* sum) {
  const Scalar* last = nullptr;
  for (const ShardGradients& shard : shards) {
    if (!shard.written(range.block)) {
      continue;
    }
    if (const Scalar* part = shard.at(range.block, range.offset); part != sum) {
      if (last != nullptr) {
        add_to(sum, last, range.count);
      }
      last = part;
    }
  }
  const Lanes s(scale);
  const auto square = [](const Lanes& a) { return a * a; };
  const Scalar squares =
      last == nullptr
          ? map_and_sum_terms(
                range.count, sum, [s](const Lanes& a) { return s * a; }, square, sum)
          : map_and_sum_terms(
                range.count, sum, [s](const Lanes& a, const Lanes& b) { return s * (a + b); },
                square, sum, last);
  return static_cast<double>(squares);
}

std::string not_finite_in(const ParameterStore& store, GradientSums& sums, const Slice& slice) {
  for (const NamedParameter& parameter : store.parameters()) {
    const Slice shared = parameter.frozen ? Slice{} : slice_of(parameter).overlap(slice);
    for (Index i = shared.begin; i < shared.end; ++i) {
      const Scalar number = *sums.at(parameter.block, i - store.block_begin(parameter.block));
      if (!std::isfinite(number)) {
        return fmt::format("the gradient of {} {} is not finite: element {} is {}", parameter.name,
                           parameter.shape.to_string(), i - parameter.offset, number);
      }
    }
  }
  return "";
}

namespace {

// u = momentum u + (clip g + decay w);  w -= rate u (Sutskever et al. 2013, as PyTorch writes it)
void sgd(const Update& update, const TrainingOptions& options) {
  Scalar* velocity = update.moments[0];
  const Lanes decay(update.weight_decay);
  const Lanes momentum(static_cast<Scalar>(options.momentum));
  const Lanes clip(update.clip);
  map_row(
      update.count(), velocity,
      [=](const Lanes& u, const Lanes& g, const Lanes& w) {
        return momentum * u + (clip * g + decay * w);
      },
      velocity, update.gradient, update.weight);
  map_row(
      update.count(), update.weight,
      [r = Lanes(update.learning_rate)](const Lanes& w, const Lanes& u) { return w - r * u; },
      update.weight, velocity);
}

// 1 / (1 - βᵗ)
Scalar correction(double beta, Index step) {
  return static_cast<Scalar>(1 / (1 - std::pow(beta, static_cast<double>(step))));
}

// m = β₁ m + (1 - β₁) g; v = β₂ v + (1 - β₂) g²; w -= rate m̂ / (√v̂ + ε), with m̂ = m / (1 - β₁ᵗ),
// v̂ = v / (1 - β₂ᵗ) (Kingma and Ba 2015, algorithm 1). adam adds weight decay to g; adamw and muon
// do w -= rate decay w instead (Loshchilov and Hutter 2019, algorithm 2).
void adam(const Update& update, const TrainingOptions& options) {
  const bool decoupled = options.optimizer != OptimizerKind::adam;
  const Lanes coupled_decay(decoupled ? Scalar{0} : update.weight_decay);
  const Lanes shrink(decoupled ? 1 - update.learning_rate * update.weight_decay : Scalar{1});
  const Lanes beta1(static_cast<Scalar>(options.beta1));
  const Lanes beta2(static_cast<Scalar>(options.beta2));
  const Lanes rest1(static_cast<Scalar>(1 - options.beta1));
  const Lanes rest2(static_cast<Scalar>(1 - options.beta2));
  const Lanes epsilon(static_cast<Scalar>(options.epsilon));
  const Lanes clip(update.clip);
  const Lanes rate(update.learning_rate * correction(options.beta1, update.step));
  const Lanes second_correction(correction(options.beta2, update.step));
  const auto one = [&](Lanes& w, const Lanes& unclipped, Lanes& m, Lanes& v) {
    const Lanes g = clip * unclipped + coupled_decay * w;
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * g * g;
    w = shrink * w - rate * m / (xsimd::sqrt(v * second_correction) + epsilon);
  };
  const auto [first, second] = update.moments;
  const Index all = update.count();
  for (Index i = 0; i < all; i += lane_count) {
    const Index count = std::min(lane_count, all - i);
    const auto load = [&](const Scalar* from) { return lanes_at(from, i, count); };
    const auto store = [&](Scalar* to, const Lanes& lanes) {
      if (count == lane_count) {
        lanes.store_unaligned(to + i);
      } else {
        store_some(to + i, count, lanes);
      }
    };
    Lanes w = load(update.weight);
    Lanes m = load(first);
    Lanes v = load(second);
    one(w, load(update.gradient), m, v);
    store(update.weight, w);
    store(first, m);
    store(second, v);
  }
}

constexpr int newton_schulz_steps = 5;
// Each step applies a s + b s³ + c s⁵ to the singular values s, with these coefficients a, b and c.
// The polynomial is steep at 0, so five steps suffice for small values too.
constexpr auto linear_coefficient = static_cast<Scalar>(3.4445);
constexpr auto cubic_coefficient = static_cast<Scalar>(-4.7750);
constexpr auto quintic_coefficient = static_cast<Scalar>(2.0315);
constexpr double least_norm = 1e-7;

// A = x xᵀ, or xᵀ x if that is smaller: (size, size).
void gram(Index rows, Index columns, const Scalar* x, Scalar* result) {
  const MatrixView as_it_is{x, columns};
  const MatrixView turned{x, columns, true};
  if (rows <= columns) {
    matrix_product(rows, rows, columns, as_it_is, turned, result, rows, false);
  } else {
    matrix_product(columns, columns, rows, turned, as_it_is, result, columns, false);
  }
}

// P = a I + b A + c A²: (size, size).
void polynomial(Index size, const Scalar* A, Scalar* P) {
  matrix_product(size, size, size, {A, size}, {A, size}, P, size, false);
  const Lanes b(cubic_coefficient);
  const Lanes c(quintic_coefficient);
  map_row(
      size * size, P, [=](const Lanes& one, const Lanes& square) { return b * one + c * square; },
      A, P);
  for (Index i = 0; i < size; ++i) {
    P[i * size + i] += linear_coefficient;
  }
}

// By the Frobenius norm.
void scale_to_norm_one(Index rows, Index columns, Scalar* x) {
  double squares = 0;
  for (Index i = 0; i < rows; ++i) {
    const Scalar* row = x + i * columns;
    squares += static_cast<double>(dot_row(columns, row, row));
  }
  const Lanes factor(static_cast<Scalar>(1 / (std::sqrt(squares) + least_norm)));
  map_row(rows * columns, x, [factor](const Lanes& value) { return factor * value; }, x);
}

}  // namespace

Index muon_scratch(Index rows, Index columns) {
  const Index size = std::min(rows, columns);
  return whole_vectors(rows * columns) + 2 * whole_vectors(size * size);
}

// Each Newton-Schulz step is x ← P x or x P with the same polynomial P of the smaller of x xᵀ and
// xᵀ x: (a I + b x xᵀ + c (x xᵀ)²) x = x (a I + b xᵀ x + c (xᵀ x)²). Singular values must be at
// most 1; the Frobenius norm is at least the largest of them.
const Scalar* orthogonal(Index rows, Index columns, Scalar* x, Scalar* scratch) {
  const Index size = std::min(rows, columns);
  Scalar* A = scratch;
  Scalar* P = A + whole_vectors(size * size);
  Scalar* next = P + whole_vectors(size * size);
  scale_to_norm_one(rows, columns, x);
  for (int step = 0; step < newton_schulz_steps; ++step) {
    gram(rows, columns, x, A);
    polynomial(size, A, P);
    if (rows <= columns) {
      matrix_product(rows, columns, rows, {P, rows}, {x, columns}, next, columns, false);
    } else {
      matrix_product(rows, columns, columns, {x, columns}, {P, columns}, next, columns, false);
    }
    std::swap(x, next);
  }
  return x;
}

void muon(const Update& update, Scalar momentum, Scalar* scratch) {
  const Index count = update.count();
  Scalar* average = update.moments[0];
  const Lanes mu(momentum);
  const Lanes rest(update.clip * (1 - momentum));
  const auto mix = [=](const Lanes& m, const Lanes& g) { return mu * m + rest * g; };
  map_row(count, average, mix, average, update.gradient);
  map_row(count, update.gradient, mix, average, update.gradient);
  const Scalar* step = orthogonal(update.rows, update.columns, update.gradient, scratch);
  const double shape = std::sqrt(
      std::max(1.0, static_cast<double>(update.rows) / static_cast<double>(update.columns)));
  const Lanes shrink(1 - update.learning_rate * update.weight_decay);
  const Lanes rate(update.learning_rate * static_cast<Scalar>(shape));
  map_row(
      count, update.weight, [=](const Lanes& w, const Lanes& u) { return shrink * w - rate * u; },
      update.weight, step);
}

void update(const Update& one, const TrainingOptions& options) {
  options.optimizer == OptimizerKind::sgd ? sgd(one, options) : adam(one, options);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

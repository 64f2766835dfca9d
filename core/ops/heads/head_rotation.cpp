#include "core/ops/heads/head_rotation.hpp"

#include "core/kernel/row_kernels.hpp"
#include "core/ops/row_parts.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Pairs whose numbers a are the first half of the columns and whose b are the second half.
struct Halves {
  // a, b = a cos - b sin, b cos + a sin
  static void turn(Index half, const Scalar* angles, const Scalar* from, Scalar* to) {
    const auto first = [](auto a, auto b, auto c, auto s) { return a * c - b * s; };
    const auto second = [](auto a, auto b, auto c, auto s) { return b * c + a * s; };
    map_row(half, to, first, from, from + half, angles, angles + half);
    map_row(half, to + half, second, from, from + half, angles, angles + half);
  }

  // Rotates the gradient back and adds it.
  static void add_turned_back(Index half, const Scalar* angles, const Scalar* from, Scalar* to) {
    const auto first = [](auto x, auto a, auto b, auto c, auto s) { return x + a * c + b * s; };
    const auto second = [](auto x, auto a, auto b, auto c, auto s) { return x + b * c - a * s; };
    map_row(half, to, first, to, from, from + half, angles, angles + half);
    map_row(half, to + half, second, to + half, from, from + half, angles, angles + half);
  }
};

// Pairs whose numbers a and b are adjacent columns.
struct Neighbours {
  static void turn(Index half, const Scalar* angles, const Scalar* from, Scalar* to) {
    for (Index c = 0; c < half; ++c) {
      const Scalar a = from[2 * c];
      const Scalar b = from[2 * c + 1];
      to[2 * c] = a * angles[c] - b * angles[half + c];
      to[2 * c + 1] = b * angles[c] + a * angles[half + c];
    }
  }

  static void add_turned_back(Index half, const Scalar* angles, const Scalar* from, Scalar* to) {
    for (Index c = 0; c < half; ++c) {
      const Scalar a = from[2 * c];
      const Scalar b = from[2 * c + 1];
      to[2 * c] += a * angles[c] + b * angles[half + c];
      to[2 * c + 1] += b * angles[c] - a * angles[half + c];
    }
  }
};

// Calls visit(row, head, angles of the row) for each vector.
template <class Visitor>
void for_each_angle(const Segments& segments, const Tensor& table, Index last, Index heads,
                    const Visitor& visit) {
  for (const Segment& segment : segments.list) {
    for_each_head(segment.rows, heads, [&](Index i, Index h) {
      visit(segment.row + i, h, table.row(std::min(segment.position + i, last)));
    });
  }
}

template <class Pairs>
Var rotate(const Var& matrix, const HeadMatrix& x, const Tensor& table, const Segments& segments,
           Index last) {
  Tensor y = Tensor::empty({x.rows(), x.heads * x.width});
  for_each_angle(segments, table, last, x.heads, [&](Index row, Index h, const Scalar* angles) {
    Pairs::turn(x.width / 2, angles, x.at(row, h), y.row(row) + h * x.width);
  });
  return matrix.tape().record(
      "rotate_heads", {matrix}, std::move(y), [x, table, segments, last](Gradients& g) {
        const HeadGradient dx(g, 0, x);
        const auto turn_back = [&](Index row, Index h, const Scalar* angles) {
          const Scalar* dy = g.output().row(row) + h * x.width;
          Pairs::add_turned_back(x.width / 2, angles, dy, dx.at(row, h));
        };
        for_each_angle(segments, table, last, x.heads, turn_back);
      });
}

}  // namespace

Tensor rotations(Index positions, Index width, double base) {
  Tensor table = Tensor::empty({positions, width});
  const Index half = width / 2;
  for (Index p = 0; p < positions; ++p) {
    for (Index c = 0; c < half; ++c) {
      const double angle = static_cast<double>(p) *
                           std::pow(base, -2 * static_cast<double>(c) / static_cast<double>(width));
      table.row(p)[c] = static_cast<Scalar>(std::cos(angle));
      table.row(p)[half + c] = static_cast<Scalar>(std::sin(angle));
    }
  }
  return table;
}

Var rotate_heads(const HeadColumns& columns, const Tensor& table, const Segments& segments,
                 Index heads, Index width, RotaryPairs pairs, Index last) {
  const HeadMatrix x = checked_heads(columns, heads, width, "rotate_heads.x");
  if (row_count(segments) != x.rows()) {
    wrong_shape("rotate_heads.x", fmt::format("the {} rows of the segments", row_count(segments)),
                columns.matrix.shape());
  }
  if (table.shape().rank() != 2 || table.dim(1) != width || width % 2 != 0) {
    wrong_shape("rotate_heads.table", fmt::format("{} columns, an even number", width),
                table.shape());
  }
  for (const Segment& segment : segments.list) {
    const Index end = std::min(segment.position + segment.rows - 1, last);
    if (segment.rows > 0 && (segment.position < 0 || end >= table.dim(0))) {
      throw ShapeError(
          "rotate_heads: position {} is outside the table's 0 ... {} (raise model.max_positions)",
          segment.position < 0 ? segment.position : end, table.dim(0) - 1);
    }
  }
  const auto op = pairs == RotaryPairs::halves ? rotate<Halves> : rotate<Neighbours>;
  return op(columns.matrix, x, table, segments, last);
}

Var normalize_heads(const HeadColumns& columns, Index heads, Index width, Scalar epsilon) {
  HeadMatrix x = checked_heads(columns, heads, width, "normalize_heads.x");
  Tensor y = Tensor::empty({x.rows(), heads * width});
  Tensor factors = Tensor::empty({x.rows(), heads});
  for_each_head(x.rows(), heads, [&](Index i, Index h) {
    const Scalar* from = x.at(i, h);
    const Scalar factor =
        std::sqrt(static_cast<Scalar>(width) / (dot_row(width, from, from) + epsilon));
    factors.row(i)[h] = factor;
    scale_row(width, factor, from, y.row(i) + h * width);
  });
  return columns.matrix.tape().record(
      "normalize_heads", {columns.matrix}, y,
      [x = std::move(x), y, factors = std::move(factors)](Gradients& g) {
        // dx += r (dy - y (y · dy) / width) with r = √width / sqrt(|x|² + epsilon)
        const HeadGradient dx(g, 0, x);
        for_each_head(x.rows(), x.heads, [&](Index i, Index h) {
          const Scalar* scaled = y.row(i) + h * x.width;
          const Scalar* dy = g.output().row(i) + h * x.width;
          const Lanes along(dot_row(x.width, scaled, dy) / static_cast<Scalar>(x.width));
          const auto add = [along, r = Lanes(factors.row(i)[h])](auto sum, auto a, auto b) {
            return sum + r * (b - a * along);
          };
          map_row(x.width, dx.at(i, h), add, dx.at(i, h), scaled, dy);
        });
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

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
    map_row(
        half, to,
        [](const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& s) {
          return a * c - b * s;
        },
        from, from + half, angles, angles + half);
    map_row(
        half, to + half,
        [](const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& s) {
          return b * c + a * s;
        },
        from, from + half, angles, angles + half);
  }

  // Rotates the gradient back and adds it.
  static void add_turned_back(Index half, const Scalar* angles, const Scalar* from, Scalar* to) {
    map_row(
        half, to,
        [](const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& s, const Lanes& before) {
          return before + a * c + b * s;
        },
        from, from + half, angles, angles + half, to);
    map_row(
        half, to + half,
        [](const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& s, const Lanes& before) {
          return before + b * c - a * s;
        },
        from, from + half, angles, angles + half, to + half);
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

void check(const HeadColumns& x, const Tensor& table, const Segments& segments, Index heads,
           Index width, Index last) {
  const Index N = dims<2>(x.matrix, "rotate_heads.x")[0];
  expect_heads(x, N, heads, width, "rotate_heads.x");
  if (row_count(segments) != N) {
    wrong_shape("rotate_heads.x", fmt::format("the {} rows of the segments", row_count(segments)),
                x.matrix.shape());
  }
  if (table.shape().rank() != 2 || table.dim(1) != width || width % 2 != 0) {
    wrong_shape("rotate_heads.table", fmt::format("{} columns, an even number", width),
                table.shape());
  }
  for (const Segment& segment : segments.list) {
    const Index end = std::min(segment.position + segment.rows - 1, last);
    if (segment.rows > 0 && (segment.position < 0 || end >= table.dim(0))) {
      throw ShapeError(fmt::format(
          "rotate_heads: position {} is outside the table's 0 ... {} (raise model.max_positions)",
          segment.position < 0 ? segment.position : end, table.dim(0) - 1));
    }
  }
}

// Calls visit(row, angles of the row).
template <class Visitor>
void for_each_row(const Segments& segments, const Tensor& table, Index last, const Visitor& visit) {
  for (const Segment& segment : segments.list) {
    for (Index i = 0; i < segment.rows; ++i) {
      visit(segment.row + i, table.row(std::min(segment.position + i, last)));
    }
  }
}

template <class Pairs>
Var rotate(const HeadColumns& columns, const Tensor& table, const Segments& segments, Index heads,
           Index width, Index last) {
  HeadMatrix x(columns, width);
  Tensor y = Tensor::empty({x.rows(), heads * width});
  for_each_row(segments, table, last, [&](Index row, const Scalar* angles) {
    for (Index h = 0; h < heads; ++h) {
      Pairs::turn(width / 2, angles, x.at(row, h), y.row(row) + h * width);
    }
  });
  return columns.matrix.tape().record(
      "rotate_heads", {columns.matrix}, std::move(y),
      [x = std::move(x), table, segments, heads, width, last](Gradients& g) {
        const HeadGradient dx(g, 0, x);
        for_each_row(segments, table, last, [&](Index row, const Scalar* angles) {
          for (Index h = 0; h < heads; ++h) {
            Pairs::add_turned_back(width / 2, angles, g.output().row(row) + h * width,
                                   dx.at(row, h));
          }
        });
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
  check(columns, table, segments, heads, width, last);
  return pairs == RotaryPairs::halves
             ? rotate<Halves>(columns, table, segments, heads, width, last)
             : rotate<Neighbours>(columns, table, segments, heads, width, last);
}

namespace {

// dx += r (dy - y (y · dy) / width) with r = √width / sqrt(|x|² + epsilon)
void add_gradient(Index width, Scalar factor, const Scalar* y, const Scalar* dy, Scalar* dx) {
  const Lanes along(dot_row(width, y, dy) / static_cast<Scalar>(width));
  map_row(
      width, dx,
      [along, r = Lanes(factor)](const Lanes& a, const Lanes& b, const Lanes& c) {
        return c + r * (b - a * along);
      },
      y, dy, dx);
}

}  // namespace

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
      [x = std::move(x), y, factors = std::move(factors), heads, width](Gradients& g) {
        const HeadGradient dx(g, 0, x);
        for_each_head(x.rows(), heads, [&](Index i, Index h) {
          add_gradient(width, factors.row(i)[h], y.row(i) + h * width,
                       g.output().row(i) + h * width, dx.at(i, h));
        });
      });
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

#include "core/ops/attention/bias.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

void PanelDistances::take(const DistanceBuckets& buckets, const PanelNumbers& panel) {
  const auto distances = static_cast<std::size_t>(panel.keys + panel.columns - 1);
  buckets.fill(panel.distance - panel.columns + 1, std::span(buckets_).first(distances));
}

// line_[keys - 1 - j + q] is the number for key j and query q.
void PanelDistances::add_by_distance(const PanelNumbers& panel, const Scalar* row, Scalar slope) {
  const Index greatest = panel.distance + panel.keys - 1;
  const Index distances = panel.keys + panel.columns - 1;
  for (Index i = 0; i < distances; ++i) {
    const Scalar loss = slope * static_cast<Scalar>(std::abs(greatest - i));
    line_[static_cast<std::size_t>(i)] =
        (row == nullptr ? 0 : row[bucket(panel, panel.keys - 1 - i, 0)]) - loss;
  }
  for (Index j = 0; j < panel.keys; ++j) {
    Scalar* numbers = panel.numbers + j * panel.step;
    add_to(numbers, line_.data() + panel.keys - 1 - j, panel.columns);
  }
}

// Consecutive iterations take keys that are a vector apart. With neighbouring keys, each iteration
// would read what the last one wrote, shifted by one, and the processor would have to wait.
void PanelDistances::sum_by_distance(const PanelNumbers& panel, Scalar factor, Scalar* row) {
  const Index distances = panel.keys + panel.columns - 1;
  std::fill_n(line_.data(), distances, Scalar{0});
  for (Index first = 0; first < panel.columns; first += lane_count) {
    const Index real = std::clamp<Index>(panel.queries - first, 0, lane_count);
    for (Index from = 0; from < lane_count; ++from) {
      for (Index j = from; j < panel.keys; j += lane_count) {
        const Scalar* numbers = panel.numbers + j * panel.step + first;
        Scalar* line = line_.data() + panel.keys - 1 - j + first;
        const Lanes more = lanes_at(numbers, 0, real);
        (Lanes::load_unaligned(line) + more).store_unaligned(line);
      }
    }
  }
  for (Index i = 0; i < distances; ++i) {
    row[bucket(panel, panel.keys - 1 - i, 0)] += factor * line_[static_cast<std::size_t>(i)];
  }
}

// Goes through the keys for each vector of queries. For each run of keys that are in one bucket for
// all these queries, calls uniform(first query, queries, bucket, first key, end of keys). For any
// other key j, calls mixed(query, j, bucket) for each query.
template <class Uniform, class Mixed>
void PanelDistances::for_each_run(const PanelNumbers& panel, const Uniform& uniform,
                                  const Mixed& mixed) const {
  for (Index first = 0; first < panel.queries; first += lane_count) {
    const Index real = std::min(lane_count, panel.queries - first);
    const Index last = first + lane_count - 1;
    for (Index j = 0; j < panel.keys;) {
      const std::int32_t near = bucket(panel, j, last);
      Index end = j;
      while (end < panel.keys && bucket(panel, end, first) == near) {
        ++end;
      }
      if (end > j) {
        uniform(first, real, near, j, end);
        j = end;
        continue;
      }
      for (Index q = first; q < first + real; ++q) {
        mixed(q, j, bucket(panel, j, q));
      }
      ++j;
    }
  }
}

void PanelDistances::add_rows(const PanelNumbers& panel, const Scalar* rows, Index stride) const {
  for_each_run(
      panel,
      [&](Index first, Index real, Index bucket, Index j, Index end) {
        std::array<Scalar, Lanes::size> column{};
        for (Index q = 0; q < real; ++q) {
          column[static_cast<std::size_t>(q)] = rows[(first + q) * stride + bucket];
        }
        const Lanes more = Lanes::load_unaligned(column.data());
        for (; j < end; ++j) {
          Scalar* numbers = panel.numbers + j * panel.step + first;
          (Lanes::load_unaligned(numbers) + more).store_unaligned(numbers);
        }
      },
      [&](Index q, Index j, Index bucket) {
        panel.numbers[j * panel.step + q] += rows[q * stride + bucket];
      });
}

void PanelDistances::sum_rows(const PanelNumbers& panel, Scalar factor, Scalar* rows,
                              Index stride) const {
  for_each_run(
      panel,
      [&](Index first, Index real, Index bucket, Index j, Index end) {
        Lanes sum(Scalar{0});
        for (; j < end; ++j) {
          sum += Lanes::load_unaligned(panel.numbers + j * panel.step + first);
        }
        std::array<Scalar, Lanes::size> sums;
        (factor * sum).store_unaligned(sums.data());
        for (Index q = 0; q < real; ++q) {
          rows[(first + q) * stride + bucket] += sums[static_cast<std::size_t>(q)];
        }
      },
      [&](Index q, Index j, Index bucket) {
        rows[q * stride + bucket] += factor * panel.numbers[j * panel.step + q];
      });
}

void expect_bias(const AttentionBias& bias, Index N, Index heads, Index d_value) {
  const Index B = bias.buckets.count();
  if (!bias.slopes.empty() && static_cast<Index>(bias.slopes.size()) != heads) {
    throw ShapeError("attention.bias: {} slopes for {} heads", bias.slopes.size(), heads);
  }
  if (bias.by_head) {
    expect_shape(*bias.by_head, {heads, B}, "attention.bias.by_head");
  }
  if (bias.by_query) {
    expect_shape(*bias.by_query, {N, heads * B}, "attention.bias.by_query");
  }
  if (bias.values) {
    expect_shape(*bias.values, {B, d_value}, "attention.bias.values");
  }
}

BiasValues::BiasValues(const AttentionBias& bias)
    : buckets(bias.buckets),
      slopes(bias.slopes),
      by_head(bias.by_head ? bias.by_head->value() : Tensor()),
      by_query(bias.by_query ? bias.by_query->value() : Tensor()),
      values(bias.values ? bias.values->value() : Tensor()) {}

HeadBias BiasValues::head(const Segment& queries, Index head) const {
  const auto at = static_cast<std::size_t>(head);
  const Index first = head * buckets.count();
  return {.buckets = &buckets,
          .slope = slopes.empty() ? 0 : static_cast<Scalar>(slopes[at]),
          .by_head = given(by_head) ? by_head.row(head) : nullptr,
          .by_query = given(by_query) ? by_query.row(queries.row) + first : nullptr,
          .stride = given(by_query) ? by_query.dim(1) : 0,
          .values = given(values)};
}

HeadBiasTargets BiasValues::targets(Gradients& g, Index input) const {
  return {.by_head = given(by_head) ? g.sum(input++) : nullptr,
          .by_query = given(by_query) ? g.sum(input++) : nullptr,
          .stride = given(by_query) ? by_query.dim(1) : 0,
          .values = given(values) ? g.sum(input) : nullptr};
}

HeadBiasTargets BiasValues::targets(HeadBiasTargets of, const Segment& queries, Index head) const {
  const Index first = head * buckets.count();
  of.by_head = of.by_head == nullptr ? nullptr : of.by_head + first;
  of.by_query = of.by_query == nullptr ? nullptr : of.by_query + queries.row * of.stride + first;
  return of;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

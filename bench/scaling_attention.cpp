// The attention core over the sequence length: time, memory, and how near to its products alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "bench/apart.hpp"
#include "bench/machine_rates.hpp"
#include "bench/report.hpp"
#include "bench/scaling.hpp"
#include "core/clock.hpp"
#include "core/memory/pool.hpp"
#include "core/ops/attention/attention.hpp"

namespace tapehead {

namespace {

constexpr Index heads = 4;
constexpr Index d_head = 64;
constexpr Index columns = heads * d_head;

struct NamedPattern {
  std::string_view name;
  Pattern pattern;
};
std::vector<NamedPattern> all_patterns() {
  return {{"full", Pattern::full()},
          {"causal", Pattern::causal()},
          {"window 64+64", Pattern::window(64, 64)},
          {"blocks 128", Pattern::blocks(128)},
          {"strided 64", Pattern::strided(64).looking_back()},
          {"fixed 64, 4", Pattern::fixed(64, 4).looking_back()},
          {"top 32", Pattern::causal().top(32)}};
}

double pairs_of(const Pattern& pattern, Index n) {
  double pairs = 0;
  for (Index query = 0; query < n; ++query) {
    for (Index key = 0; key < n; ++key) {
      pairs += pattern.allowed(query, key) ? 1 : 0;
    }
  }
  return pairs;
}

Tensor varied_rows(Index n) {
  Tensor rows = Tensor::empty({n, 3 * columns});
  Index at = 0;
  for (Scalar& number : rows.values()) {
    number = static_cast<Scalar>(at++ * 37 % 101 - 50) / 50;
  }
  return rows;
}

struct Best {
  double forward = 1e9;  // seconds
  double backward = 1e9;
};

// One sequence of n rows, a few times.
Best time_attention(const Pattern& pattern, Index n) {
  const Tensor rows = varied_rows(n);
  const Segments segments = segments_of({n});
  const AttentionOptions options{
      .heads = heads, .d_key = d_head, .d_value = d_head, .patterns = {pattern}};
  Tape tape;
  Best best;
  int runs = 0;
  for (const auto begin = Clock::now(); runs < 2 || (runs < 50 && seconds_since(begin) < 0.3);
       ++runs) {
    tape.clear();
    const Var x = tape.variable(rows);
    Tensor cotangent = Tensor::full({n, columns}, 1);
    const auto start = Clock::now();
    const Var y = attention({x, 0}, {x, columns}, {x, 2 * columns}, segments, segments, options);
    const auto middle = Clock::now();
    tape.backward(y, std::move(cotangent));
    best.forward = std::min(best.forward, seconds_between(start, middle));
    best.backward = std::min(best.backward, seconds_since(middle));
  }
  return best;
}

// The same additions and multiplications in products of cached blocks: two products over the pairs
// forward and five backward, where the scores are made again.
nlohmann::ordered_json measure(const NamedPattern& named, Index n) {
  const double rate = 1e9 * product_rate(256, 256, 64);
  const Best best = time_attention(named.pattern, n);
  const double product = 2 * pairs_of(named.pattern, n) * static_cast<double>(columns);
  return {{"pattern", named.name},
          {"n", n},
          {"forward_ms", 1e3 * best.forward},
          {"backward_ms", 1e3 * best.backward},
          {"forward_ratio", best.forward * rate / (2 * product)},
          {"backward_ratio", best.backward * rate / (5 * product)},
          {"ratio", (best.forward + best.backward) * rate / (7 * product)},
          {"block_gflops", rate / 1e9},
          {"pool_mb", static_cast<double>(pool_use().bytes_peak) / 1e6}};
}

// The slope of log(time) over log(n), by least squares.
double exponent(const std::vector<double>& n, const std::vector<double>& times) {
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    x += std::log(n[i]);
    y += std::log(times[i]);
    xx += std::log(n[i]) * std::log(n[i]);
    xy += std::log(n[i]) * std::log(times[i]);
  }
  const auto count = static_cast<double>(n.size());
  return (count * xy - x * y) / (count * xx - x * x);
}

}  // namespace

void scale_attention(const ScalingOptions& options) {
  constexpr Index settled = 512;  // from here on the edges of a window matter little
  Report report({{.place = "/pattern", .title = "pattern", .width = 12},
                 {.place = "/n", .title = "n"},
                 {.place = "/forward_ms", .title = "forward ms", .decimals = 3},
                 {.place = "/backward_ms", .title = "backward ms", .decimals = 3},
                 {.place = "/forward_ratio", .title = "x products", .decimals = 2},
                 {.place = "/backward_ratio", .title = "backward", .decimals = 2},
                 {.place = "/ratio", .title = "both", .decimals = 2},
                 {.place = "/block_gflops", .title = "block GF/s", .decimals = 1},
                 {.place = "/pool_mb", .title = "memory MB", .decimals = 1},
                 {.place = "/exponent", .title = "exponent", .decimals = 2}},
                options.json);
  for (const NamedPattern& named : all_patterns()) {
    std::vector<double> lengths;
    std::vector<double> times;
    for (Index n = 64; n <= (options.quick ? 64 : 8192); n *= 2) {
      const auto row = measure_apart([&] { return measure(named, n); });
      report.row(row);
      if (n >= settled) {
        lengths.push_back(static_cast<double>(n));
        times.push_back(row.at("forward_ms").get<double>() + row.at("backward_ms").get<double>());
      }
    }
    if (!lengths.empty()) {
      report.row({{"pattern", named.name}, {"exponent", exponent(lengths, times)}});
    }
  }
}

}  // namespace tapehead

// The linear maps of each size: forward, gradient of the input, gradient of the weight.
#include <fmt/format.h>

#include <array>

#include "bench/kernel_cases.hpp"
#include "core/clock.hpp"
#include "core/product/matrix_product.hpp"

namespace tapehead {

namespace {

struct Linear {
  const char* name;
  Index in;
  Index out;
};

struct Side {
  Index stride;
  bool transposed;
};

// c (rows, columns) = a (rows, depth) b (depth, columns), each side possibly transposed.
struct Product {
  Index rows;
  Index columns;
  Index depth;
  Side a;
  Side b;
};

Call call_of(const Product& p) {
  return [p, a = varied_numbers({p.rows, p.depth}), b = varied_numbers({p.depth, p.columns}),
          c = varied_numbers({p.rows, p.columns})]() mutable {
    const auto begin = Clock::now();
    matrix_product(p.rows, p.columns, p.depth, {a.data(), p.a.stride, p.a.transposed},
                   {b.data(), p.b.stride, p.b.transposed}, c.data(), p.columns, false);
    return seconds_since(begin);
  };
}

void register_linear(const StepSize& size, const Linear& linear) {
  const Index N = shard_rows(size);
  const Index in = linear.in;
  const Index out = linear.out;
  const Work work{.flops = 2 * static_cast<double>(N * in * out)};
  const auto add = [&](const char* pass, const Product& product) {
    const std::string name =
        fmt::format("linear/{}/{} {}x{}x{}/{}", size.name, linear.name, N, in, out, pass);
    register_case(name, work, [product] { return call_of(product); });
  };
  add("forward", {N, out, in, {in, false}, {in, true}});
  add("input", {N, in, out, {out, false}, {in, false}});
  add("weight", {out, in, N, {out, true}, {in, false}});
}

}  // namespace

void register_products(const StepSize& size) {
  const Index D = size.d_model;
  const std::array<Linear, 6> linears{{{"query-key-value", D, 3 * D},
                                       {"key-value", D, 2 * D},
                                       {"output", D, D},
                                       {"inner", D, size.d_ff},
                                       {"outer", size.d_ff, D},
                                       {"logits", D, size.vocabulary}}};
  for (const Linear& linear : linears) {
    register_linear(size, linear);
  }
}

}  // namespace tapehead

#include "bench/beside_pytorch/case.hpp"
#include "core/ops/activation.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/norm.hpp"
#include "core/ops/residual.hpp"
#include "support/random_tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr Index D = 16;  // the axes of docs/shapes.md
constexpr Index H = 4;
constexpr Index F = 32;
constexpr Index T = 5;
constexpr Index S = 7;
constexpr int layers = 2;

// The parameters of one layer, in the order in which it takes them.
void append_layer(std::vector<Tensor>& all) {
  const auto draw = [&all](const Shape& shape, double centre) {
    all.push_back(random_tensor(shape, all.size(), centre - 0.5, centre + 0.5));
  };
  const auto norm = [&draw] {
    draw({D}, 1);
    draw({D}, 0);
  };
  const auto projection = [&draw](Index out, Index in) {
    draw({out, in}, 0);
    draw({out}, 0);
  };
  norm();
  projection(3 * D, D);  // query, key and value
  projection(D, D);
  norm();
  projection(D, D);      // query
  projection(2 * D, D);  // key and value
  projection(D, D);
  norm();
  projection(F, D);
  projection(D, F);
}

class InOrder {
 public:
  InOrder(const std::vector<Var>& all, std::size_t first) : all_(all), next_(first) {}
  const Var& take() { return all_[next_++]; }

 private:
  const std::vector<Var>& all_;
  std::size_t next_;
};

Var normed(const Var& x, InOrder& parameters) {
  const Var& gain = parameters.take();
  const Var& bias = parameters.take();
  return layer_norm(x, gain, bias);
}

Var projected(const Var& x, InOrder& parameters) {
  const Var& weight = parameters.take();
  const Var& bias = parameters.take();
  return linear(x, weight, bias);
}

// x + block Wᵀ + b
Var joined(const Var& x, const Var& block, InOrder& parameters) {
  const Var& weight = parameters.take();
  const Var& bias = parameters.take();
  return residual(x, linear(block, weight), bias);
}

Var attended(const HeadColumns& query, const HeadColumns& key, const HeadColumns& value,
             const Pattern& pattern) {
  return attention(query, key, value, segments_of({query.matrix.shape()[0]}),
                   segments_of({key.matrix.shape()[0]}),
                   {.heads = H, .d_key = D / H, .d_value = D / H, .patterns = {pattern}});
}

// The same ops in the same order as DecoderLayer, with the norm before each block.
Var decoder_layer(const Var& x, const Var& memory, InOrder& parameters) {
  const Var own = projected(normed(x, parameters), parameters);
  const Var own_heads = attended({own, 0}, {own, D}, {own, 2 * D}, Pattern::causal());
  const Var after_self = joined(x, own_heads, parameters);

  const Var query = projected(normed(after_self, parameters), parameters);
  const Var source = projected(memory, parameters);
  const Var source_heads = attended({query, 0}, {source, 0}, {source, D}, Pattern::full());
  const Var after_cross = joined(after_self, source_heads, parameters);

  const Var input = normed(after_cross, parameters);
  const Var inner = linear(input, parameters.take());
  const Var hidden = bias_activation(inner, parameters.take(), Activation::gelu);
  return joined(after_cross, hidden, parameters);
}

}  // namespace

Case decoder() {
  std::vector<Tensor> inputs{random_tensor({T, D}, 100), random_tensor({S, D}, 101)};
  for (int i = 0; i < layers; ++i) {
    append_layer(inputs);
  }
  return {"decoder", std::move(inputs), [](Tape&, const std::vector<Var>& all) {
            InOrder parameters(all, 2);
            Var x = all[0];
            for (int i = 0; i < layers; ++i) {
              x = decoder_layer(x, all[1], parameters);
            }
            return x;
          }};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

// Whole steps whose products are rounded to bfloat16, beside steps in float32.
#include "tests/support/testing.hpp"
#include "tests/support/tiny_trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Size B of the benchmarks (bench/measure.hpp), with a quarter of its sentences and a smooth
// activation: relu's gradient jumps where rounding moves a number past 0, which turns the gradients
// around it further (cosines from 0.9986 on).
class SizeB {
 public:
  SizeB() : transformer_(store_.root(), options(), vocabulary, vocabulary) { store_.initialize(1); }

  const ParameterStore& store() const { return store_; }

  ParameterGradients gradients(Precision precision, std::uint64_t batch) const {
    const Draws draws(batch, "tests.tokens", 0);
    std::vector<Sentence> sentences(16, Sentence(32));
    std::uint64_t index = 0;
    for (Sentence& sentence : sentences) {
      std::ranges::generate(sentence, [&] {
        return static_cast<TokenId>(3 + draw_below(draws, index++, vocabulary - 3));
      });
    }
    ParameterGradients gradients(store_);
    Tape tape;
    Pass pass(tape, store_, gradients, 1, static_cast<Index>(batch));
    pass.precision = precision;
    // In a new model the label's logit has nearly the same gradient in every row, 1 - smoothing,
    // and so the same rounding error, which another smoothing in each batch makes random.
    const double smoothing = 0.05 + 0.01413 * static_cast<double>(batch);
    tape.backward(batch_loss(transformer_, pass, batch_of(sentences, sentences),
                             {.label_smoothing = smoothing})
                      .loss);
    return gradients;
  }

  std::span<const Scalar> part(const ParameterGradients& gradients,
                               const NamedParameter& parameter) const {
    const Index first = parameter.offset - store_.block_begin(parameter.block);
    return {gradients.data(parameter.block) + first,
            static_cast<std::size_t>(parameter.shape.size())};
  }

 private:
  static constexpr Index vocabulary = 1000;

  static ModelOptions options() {
    ModelOptions options;
    options.d_model = 128;
    options.heads = 4;
    options.d_ff = 512;
    options.activation = Activation::gelu;
    options.layers = 2;
    options.dropout = 0.1;
    options.max_positions = 40;
    return options;
  }

  ParameterStore store_;
  Transformer transformer_;
};

double product(std::span<const Scalar> a, std::span<const Scalar> b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                               [](Scalar x, Scalar y) { return static_cast<double>(x) * y; });
}

TEST(RoundedStep, has_gradients_of_float32s_direction_and_no_bias) {
  const SizeB model;
  double least_cosine = 1;
  std::map<std::string, std::vector<double>> errors;  // (rounded - exact) · exact / |exact|²
  std::set<std::string> left_out;
  for (std::uint64_t batch = 1; batch <= 20; ++batch) {
    const ParameterGradients exact = model.gradients(Precision::float32, batch);
    const ParameterGradients rounded = model.gradients(Precision::bfloat16, batch);
    double largest = 0;
    for (const NamedParameter& parameter : model.store().parameters()) {
      const auto part = model.part(exact, parameter);
      largest = std::max(largest, product(part, part));
    }
    for (const NamedParameter& parameter : model.store().parameters()) {
      const auto of_exact = model.part(exact, parameter);
      const auto of_rounded = model.part(rounded, parameter);
      const double square = product(of_exact, of_exact);
      if (square <= 1e-8 * largest) {
        left_out.insert(parameter.name);
        continue;
      }
      const double both = product(of_exact, of_rounded);
      const double cosine = both / std::sqrt(square * product(of_rounded, of_rounded));
      EXPECT_GE(cosine, 0.999) << parameter.name << ", batch " << batch;
      least_cosine = std::min(least_cosine, cosine);
      errors[parameter.name].push_back(both / square - 1);
    }
  }
  EXPECT_LT(least_cosine, 1 - 1e-7) << "nothing was rounded";
  for (const auto& [name, list] : errors) {
    const auto count = static_cast<double>(list.size());
    const double mean = std::accumulate(list.begin(), list.end(), 0.0) / count;
    double squares = 0;
    for (const double error : list) {
      squares += (error - mean) * (error - mean);
    }
    EXPECT_LE(std::abs(mean), 3 * std::sqrt(squares / (count - 1) / count)) << name;
  }
  // A bias of all keys changes no attention weight, so its gradient is rounding errors alone.
  EXPECT_THAT(left_out, AllOf(SizeIs(6), Each(EndsWith("key.bias"))));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

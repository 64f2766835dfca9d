// Embedding rows by hand in the three schemes of Csordás et al. 2021, section 3.1, and the initial
// values of the tables.
#include "nn/residual_stream.hpp"

#include "core/ops/embedding.hpp"
#include "nn/init.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// A scheme, and its factors of tokens and of positions for d_model 4: √4 = 2 and 1 / √4 = 0.5.
struct Scheme {
  EmbeddingInit initializer;
  EmbeddingScale scale;
  PositionScale position_scale;
  double factor;
  double position_factor;
};
constexpr Scheme upscaling{EmbeddingInit::xavier_uniform, EmbeddingScale::sqrt_d_model,
                           PositionScale::none, 2, 1};
constexpr Scheme no_scaling{EmbeddingInit::unit_normal, EmbeddingScale::none, PositionScale::none,
                            1, 1};
constexpr Scheme downscaling{EmbeddingInit::kaiming_normal, EmbeddingScale::none,
                             PositionScale::inverse_sqrt_d_model, 1, 0.5};

ModelOptions options_of(const Scheme& scheme, PositionKind positions, Index width = 4) {
  ModelOptions options;
  options.d_model = width;
  options.max_positions = 3;
  options.dropout = 0;
  options.positions = positions;
  options.embedding_initializer = scheme.initializer;
  options.embedding_scale = scheme.scale;
  options.position_scale = scheme.position_scale;
  return options;
}

struct LoneEmbedding {
  explicit LoneEmbedding(const ModelOptions& options, Index rows = 5)
      : table(store.root().create("embedding", ParameterKind::embedding,
                                  {rows, options.embedding_width()},
                                  embedding_initializer(options, rows))),
        embedding(store.root(), options, table,
                  sinusoidal_positions(options.max_positions, options.embedding_width())) {
    store.initialize(1);
  }

  ParameterStore store;
  Parameter table;
  TokenEmbedding embedding;
};

Tokens three_tokens() { return {.ids = {4, 1, 4}, .segments = segments_of({3})}; }

TEST(TokenEmbedding, has_the_scales_of_its_scheme) {
  for (const PositionKind kind : {PositionKind::sinusoidal, PositionKind::learned}) {
    for (const Scheme& scheme : {upscaling, no_scaling, downscaling}) {
      const LoneEmbedding lone(options_of(scheme, kind));
      const Tensor positions = kind == PositionKind::learned
                                   ? lone.store.value(lone.embedding.learned)
                                   : sinusoidal_positions(3, 4);
      const Tensor table = lone.store.value(lone.table);
      Tape tape(false);
      Pass pass(tape, lone.store);
      const Tokens tokens = three_tokens();
      const Tensor x = lone.embedding(pass, tokens).value();
      for (Index row = 0; row < 3; ++row) {
        const Scalar* entry = table.row(tokens.ids[static_cast<std::size_t>(row)]);
        for (Index c = 0; c < 4; ++c) {
          EXPECT_NEAR(x.row(row)[c],
                      scheme.factor * entry[c] + scheme.position_factor * positions.row(row)[c],
                      1e-14);
        }
      }
    }
  }
  // The scale of positions goes by the width of the model.
  ModelOptions wide = options_of(downscaling, PositionKind::sinusoidal);
  wide.d_embedding = 6;
  EXPECT_EQ(LoneEmbedding(wide).embedding.position_scale, 0.5);
}

// x = table[id] + 0.5 position, so the positions of Σ c x have the gradient 0.5 c.
TEST(TokenEmbedding, gradients_of_learned_positions_have_their_scale) {
  const LoneEmbedding lone(options_of(downscaling, PositionKind::learned));
  Tape tape;
  ParameterGradients gradients(lone.store);
  Pass pass(tape, lone.store, gradients);
  const Tensor cotangent = random_tensor({3, 4}, 5);
  tape.backward(lone.embedding(pass, three_tokens()), cotangent);
  const Scalar* found = gradients.data(lone.embedding.learned.block);
  for (Index i = 0; i < 12; ++i) {
    EXPECT_NEAR(found[i], 0.5 * cotangent.data()[i], 1e-15);
  }
}

double variance(std::span<const Scalar> numbers) {
  const double squares = std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0);
  return squares / static_cast<double>(numbers.size());
}

// Tables with 200 rows (tokens) and 300 rows (positions), width 100. The variance of 20,000 normal
// numbers has a relative deviation of √(2 / 20,000) = 1 %; 4 % is four deviations.
TEST(TokenEmbedding, tables_start_with_the_variance_of_their_scheme) {
  const auto expect_variances = [](const Scheme& scheme, double of_tokens, double of_positions) {
    ModelOptions options = options_of(scheme, PositionKind::learned, 100);
    options.max_positions = 300;
    const LoneEmbedding lone(options, 200);
    EXPECT_NEAR(variance(lone.store.value(lone.table).values()) / of_tokens, 1, 0.04);
    EXPECT_NEAR(variance(lone.store.value(lone.embedding.learned).values()) / of_positions, 1,
                0.04);
  };
  expect_variances(upscaling, 2.0 / 300, 2.0 / 400);  // Glorot: 2 / (rows + columns)
  expect_variances(no_scaling, 1, 1);
  expect_variances(downscaling, 2.0 / 100, 2.0 / 100);  // He: 2 / columns
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

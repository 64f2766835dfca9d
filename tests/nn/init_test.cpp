// What weights start with: the formulas' deviations, and what is told apart where.
#include "nn/init.hpp"

#include <gtest/gtest.h>

namespace tapehead {
namespace {

ModelOptions with(InitKind kind, double gain) {
  ModelOptions options;
  options.d_model = 64;
  options.initializer = kind;
  options.initializer_gain = gain;
  return options;
}

// Glorot and Bengio 2010: a uniform of magnitude a has variance a² / 3 = 2 / (in + out); here
// 2 / (100 + 28) = 1 / 64.
TEST(Initializers, follow_their_formulas) {
  const Initializer uniform = weight_initializer(with(InitKind::xavier_uniform, 2), 100, 28);
  EXPECT_EQ(uniform.kind, Initializer::Kind::uniform);
  EXPECT_DOUBLE_EQ(uniform.value * uniform.value / 3, 4.0 / 64);
  const Initializer normal = weight_initializer(with(InitKind::xavier_normal, 2), 100, 28);
  EXPECT_EQ(normal.kind, Initializer::Kind::normal);
  EXPECT_DOUBLE_EQ(normal.value, 2.0 / 8);
  const Initializer plain = weight_initializer(with(InitKind::normal, 2), 100, 28);
  EXPECT_EQ(plain.kind, Initializer::Kind::normal);
  EXPECT_DOUBLE_EQ(plain.value, 2 * 0.02);
  const Initializer embedding = embedding_initializer(with(InitKind::xavier_uniform, 2));
  EXPECT_EQ(embedding.kind, Initializer::Kind::normal);
  EXPECT_DOUBLE_EQ(embedding.value, 1.0 / 8);
  ModelOptions unscaled = with(InitKind::xavier_uniform, 2);
  unscaled.embedding_scale = EmbeddingScale::none;
  EXPECT_DOUBLE_EQ(embedding_initializer(unscaled).value, 0.02);
}

}  // namespace
}  // namespace tapehead

// The spectrum of an embedding uses the correct rows of the correct table.
#include "lab/cyclic_spectrum.hpp"

#include "tests/support/small_copy.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Three marks, then seven symbols. These five form the circle, in an order different from the
// table.
const std::vector<TokenId> circle{8, 3, 6, 5, 4};

void write_wave(const Model& model, Index frequency) {
  for (const VocabularyTable& one : model.transformer.vocabulary_tables()) {
    if (one.side == Side::source && one.table.shape.rank() == 2) {
      Tensor table = model.store.value(one.table);
      for (std::size_t a = 0; a < circle.size(); ++a) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(frequency) *
                             static_cast<double>(a) / static_cast<double>(circle.size());
        for (Index column = 0; column < table.dim(1); ++column) {
          table.row(circle[a])[column] =
              static_cast<Scalar>(std::cos(angle + 0.7 * static_cast<double>(column)));
        }
      }
    }
  }
}

TEST(EmbeddingSpectrum, is_that_of_the_sources_table_in_the_order_of_the_circle) {
  for (const Family family : {Family::encoder_decoder, Family::decoder}) {
    Config config = SmallCopy::options({});
    config.model.family = family;
    const SmallCopy copy(config);
    for (const Index frequency : {1, 2}) {
      write_wave(copy.model, frequency);
      const CyclicSpectrum spectrum = embedding_spectrum(copy.model, circle);
      ASSERT_EQ(spectrum.shares.size(), 2U);
      EXPECT_NEAR(spectrum.shares[static_cast<std::size_t>(frequency - 1)], 1, 1e-12);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

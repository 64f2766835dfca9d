// The spectrum of rows on a circle: waves, noise, the sum of its shares, and the correct rows of
// the correct table of embeddings.
#include "lab/cyclic_spectrum.hpp"

#include "core/random/draws.hpp"
#include "tests/support/small_copy.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// p rows with one column: the sum of waves (frequency, amplitude), each with a phase, plus a
// constant, which is not a frequency.
CyclicSpectrum spectrum_of(Index p, const std::vector<std::pair<Index, double>>& waves) {
  std::vector<double> rows(static_cast<std::size_t>(p), 5.0);
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (const auto& [frequency, amplitude] : waves) {
      const double turns =
          static_cast<double>(frequency) * static_cast<double>(a) / static_cast<double>(p);
      rows[a] += amplitude * std::cos(2 * std::numbers::pi * turns + 0.3);
    }
  }
  return cyclic_spectrum(rows, 1);
}

TEST(CyclicSpectrum, of_cosines_is_their_frequencies_with_the_squares_of_their_amplitudes) {
  for (const Index p : {7, 8, 97}) {
    const Index frequencies = p / 2;
    for (Index k = 1; k <= frequencies; ++k) {
      const CyclicSpectrum spectrum = spectrum_of(p, {{k, 2}});
      ASSERT_EQ(std::ssize(spectrum.shares), frequencies);
      EXPECT_NEAR(spectrum.shares[static_cast<std::size_t>(k - 1)], 1, 1e-12) << p << ' ' << k;
      EXPECT_EQ(spectrum.frequencies_with(0.9), 1);
      EXPECT_NEAR(spectrum.gini(), 1 - 1.0 / static_cast<double>(frequencies), 1e-12);
    }
  }
  // The squared norm of a wave is proportional to its squared amplitude: 4 + 1 = 5.
  const CyclicSpectrum spectrum = spectrum_of(11, {{2, 2}, {5, 1}});
  EXPECT_NEAR(spectrum.shares[1], 0.8, 1e-12);
  EXPECT_NEAR(spectrum.shares[4], 0.2, 1e-12);
  EXPECT_EQ(spectrum.frequencies_with(0.8 - 1e-9), 1);
  EXPECT_EQ(spectrum.frequencies_with(0.9), 2);
}

std::vector<double> noise(Index p, Index width) {
  const Draws draws(1, "noise", 0);
  std::vector<double> rows(static_cast<std::size_t>(p * width));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = draw_normal(draws, i);
  }
  return rows;
}

// Each of the 48 frequencies has 2 numbers in each of 1,000 columns, so its share has a relative
// deviation of 1 / sqrt(1000), about 3 %.
TEST(CyclicSpectrum, of_random_rows_is_about_uniform_and_of_zeros_has_no_frequency) {
  const CyclicSpectrum spectrum = cyclic_spectrum(noise(97, 1000), 1000);
  for (const double share : spectrum.shares) {
    EXPECT_NEAR(share, 1.0 / 48, 0.2 / 48);
  }
  EXPECT_GE(spectrum.frequencies_with(0.9), 42);
  EXPECT_LT(spectrum.gini(), 0.05);
  const CyclicSpectrum nothing = cyclic_spectrum(std::vector<double>(10, 0.0), 2);
  EXPECT_EQ(nothing.shares, (std::vector<double>{0, 0}));
  EXPECT_EQ(nothing.frequencies_with(0.9), 0);
  EXPECT_EQ(nothing.gini(), 0);
  // By hand: (-2 · 0.1 + 0 · 0.2 + 2 · 0.7) / (3 · 1) = 0.4
  EXPECT_NEAR((CyclicSpectrum{.shares = {0.7, 0.1, 0.2}}.gini()), 0.4, 1e-12);
}

// Parseval: a frequency's share times the squared distances from the mean is the squared length of
// the projection on its cosine and sine.
TEST(CyclicSpectrum, shares_are_those_of_projections_and_sum_to_one) {
  for (const Index p : {9, 10}) {
    const Index width = 3;
    const std::vector<double> rows = noise(p, width);
    const CyclicSpectrum spectrum = cyclic_spectrum(rows, width);
    EXPECT_NEAR(std::accumulate(spectrum.shares.begin(), spectrum.shares.end(), 0.0), 1, 1e-12);
    double distances = 0;
    std::vector<double> projected(spectrum.shares.size());
    for (Index column = 0; column < width; ++column) {
      const auto at = [&](Index a) { return rows[static_cast<std::size_t>(a * width + column)]; };
      double mean = 0;
      for (Index a = 0; a < p; ++a) {
        mean += at(a) / static_cast<double>(p);
      }
      for (Index a = 0; a < p; ++a) {
        distances += (at(a) - mean) * (at(a) - mean);
      }
      for (Index k = 1; k <= p / 2; ++k) {
        double cosine = 0;
        double sine = 0;
        for (Index a = 0; a < p; ++a) {
          const double angle =
              2 * std::numbers::pi * static_cast<double>(a * k) / static_cast<double>(p);
          cosine += at(a) * std::cos(angle);
          sine += at(a) * std::sin(angle);
        }
        // Each wave has squared length p / 2. At k = p / 2 the cosine has p, and the sine is 0.
        const double length = static_cast<double>(p) / (2 * k == p ? 1 : 2);
        projected[static_cast<std::size_t>(k - 1)] += (cosine * cosine + sine * sine) / length;
      }
    }
    for (std::size_t i = 0; i < projected.size(); ++i) {
      EXPECT_NEAR(spectrum.shares[i], projected[i] / distances, 1e-12) << p << ' ' << i + 1;
    }
  }
}

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

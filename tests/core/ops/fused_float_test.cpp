// Dropout and attention in single precision, whose tiles and vectors are twice as wide: values and
// gradients against plain ops. The double tests check every gradient by differences.
#include "core/ops/attention/attention.hpp"
#include "core/ops/residual.hpp"
#include "core/random/keep_bits.hpp"
#include "tests/support/attention_cases.hpp"
#include "tests/support/plain.hpp"
#include "tests/support/plain_attention.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

const Dropout drop{.probability = 0.4, .draws = Draws(3, "tests.fused", 5)};

// Rows that end with the first, eighth or ninth number of a vector, or with a full vector.
TEST(FusedOps, dropout_drops_what_its_bits_say) {
  constexpr Index rows = 3;
  for (const Index columns : {1, 8, 9, 16, 25, 37, 64}) {
    std::vector<std::uint8_t> bits(static_cast<std::size_t>(keep_bytes(rows, columns)));
    draw_keep_rows(drop, 0, rows, columns, bits.data());
    Tape tape;
    const Tensor y = dropout(tape.constant(Tensor::full({rows, columns}, 1)), drop).value();
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        const auto byte = static_cast<std::size_t>(i * keep_row_bytes(columns) + j / 8);
        const bool kept = ((bits[byte] >> (j % 8)) & 1) != 0;
        EXPECT_EQ(y.row(i)[j], kept ? static_cast<Scalar>(drop.scale()) : Scalar{0})
            << "column " << j << " of " << columns;
      }
    }
  }
}

TEST(FusedOps, attention) {
  for (const AttentionCase& c : attention_cases()) {
    SCOPED_TRACE(c.name);
    const AttentionOptions& o = c.options;
    const auto by = [&c](decltype(attention)* attend) {
      return [&c, attend](const Var& q, const Var& k, const Var& v) {
        return attend({q}, {k}, {v}, c.queries, c.keys, c.options, {}, {}, {});
      };
    };
    expect_equals_plain(by(attention), by(plain_attention),
                        random_tensor({row_count(c.queries), o.heads * o.d_key}, 1),
                        random_tensor({row_count(c.keys), o.heads * o.d_key}, 2),
                        random_tensor({row_count(c.keys), o.heads * o.d_value}, 3));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

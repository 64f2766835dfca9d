// The maps of a head's weights, compared with explicit matrices.
#include "lab/heads/attention_report.hpp"

#include "core/product/matrix_product.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

TEST(ProductSingularValues, are_those_of_known_products) {
  // Aᵀ B = diag(3 · 2, 1 · 5) on the first two columns.
  const Tensor a = Tensor::of({2, 3}, {3, 0, 0, 0, 1, 0});
  const Tensor b = Tensor::of({2, 4}, {2, 0, 0, 0, 0, 5, 0, 0});
  EXPECT_THAT(product_singular_values(a, b), ElementsAre(DoubleNear(6, 1e-7), DoubleNear(5, 1e-7)));
  // Equal rows: a single value, |a|² |b|², from both rows.
  const Tensor same = Tensor::of({2, 2}, {1, 2, 1, 2});
  EXPECT_THAT(product_singular_values(same, same),
              ElementsAre(DoubleNear(10, 1e-6), DoubleNear(0, 1e-6)));
  // More rows than columns: Aᵀ B = (1 2), of length √5.
  const Tensor tall = Tensor::of({3, 1}, {1, 2, 2});
  EXPECT_THAT(product_singular_values(tall, Tensor::of({3, 2}, {1, 0, 0, 1, 0, 0})),
              ElementsAre(DoubleNear(std::sqrt(5.0), 1e-7)));
}

class Maps : public Test {
 protected:
  Maps() : model_(tiny_options()) { model_.shake(0.5); }

  Tensor value(const std::string& name) const { return values_of(model_.store, name); }

  std::vector<std::optional<HeadMaps>> maps_of(const std::string& path) const {
    const auto attentions = model_.transformer.attentions();
    return head_maps(model_.store,
                     **std::ranges::find_if(attentions, [&](const MultiHeadAttention* attention) {
                       return attention->module.path() == path;
                     }));
  }

  TinyModel model_;
};

// Entry by entry: |Σ_r a_ri b_rj| over all i and j, for rows r of the head.
template <class Left, class Right>
double norm_of(const Left& a, const Right& b) {
  double squares = 0;
  for (Index i = 0; i < tiny_options().d_model; ++i) {
    for (Index j = 0; j < tiny_options().d_model; ++j) {
      double sum = 0;
      for (Index r = 0; r < *tiny_options().d_head; ++r) {
        sum += a(r, i) * b(r, j);
      }
      squares += sum * sum;
    }
  }
  return std::sqrt(squares);
}

TEST_F(Maps, have_the_norms_of_the_matrices) {
  const Index width = *tiny_options().d_head;
  const std::string path = "decoder.layers.0.cross";
  const auto maps = maps_of(path);
  ASSERT_EQ(maps.size(), 2U);
  for (Index head = 0; head < 2; ++head) {
    const auto rows_of = [&](const char* name) {
      return [weight = value(path + name), first = head * width](Index r, Index i) {
        return weight.row(first + r)[i];
      };
    };
    const Tensor output = value(path + ".output.weight");
    const auto column = [&](Index r, Index j) { return output.row(j)[head * width + r]; };
    const HeadMaps& found = *maps[static_cast<std::size_t>(head)];
    EXPECT_NEAR(found.query_key.norm, norm_of(rows_of(".query.weight"), rows_of(".key.weight")),
                1e-9);
    EXPECT_NEAR(found.value_output.norm, norm_of(rows_of(".value.weight"), column), 1e-9);
    EXPECT_GT(found.query_key.effective_rank, 1);
    EXPECT_EQ(found.query_key.width, width);
    EXPECT_LE(found.query_key.effective_rank, static_cast<double>(width));
    EXPECT_FALSE(found.asymmetry.has_value());
  }
}

// If the input is the query, a head's scores come from its key weight on the columns that the head
// reads. An identity weight gives symmetric scores.
TEST(MapsOfInputs, lie_on_the_columns_that_a_head_reads) {
  for (const HeadInput input : {HeadInput::wide, HeadInput::narrow}) {
    ModelOptions options = tiny_options();
    options.d_head.reset();
    options.attention.sharing.values = {Sharing::identity_query};
    options.attention.input.values = {input};
    const TinyModel model(options);
    const MultiHeadAttention& attention = *model.transformer.attentions().front();
    Tensor weight = values_of(model.store, attention.module.path() + ".key.weight");
    std::ranges::fill(weight.values(), 0);
    for (Index row = 0; row < weight.dim(0); ++row) {
      weight.row(row)[row % weight.dim(1)] = 1;  // identity in each head
    }
    for (const std::optional<HeadMaps>& maps : head_maps(model.store, attention)) {
      EXPECT_NEAR(*maps->asymmetry, 0, 1e-7);
    }
  }
}

TEST_F(Maps, tell_symmetry_from_its_opposite) {
  const std::string path = "encoder.layers.0.self";
  Tensor query = value(path + ".query.weight");
  Tensor key = value(path + ".key.weight");
  std::ranges::copy(query.values(), key.values().begin());
  EXPECT_NEAR(*maps_of(path)[0]->asymmetry, 0, 1e-7);
  // M = e_0 e_1ᵀ - e_1 e_0ᵀ in the first head.
  std::ranges::fill(query.values(), 0);
  std::ranges::fill(key.values(), 0);
  query.row(0)[0] = 1;
  key.row(0)[1] = 1;
  query.row(1)[1] = -1;
  key.row(1)[0] = 1;
  const HeadMaps opposite = *maps_of(path)[0];
  EXPECT_NEAR(*opposite.asymmetry, 1, 1e-7);
  EXPECT_NEAR(*opposite.query_key.effective_rank, 2, 1e-6);
  std::ranges::fill(query.values(), 0);
  const HeadMaps nothing = *maps_of(path)[0];
  EXPECT_EQ(nothing.query_key.norm, 0);
  EXPECT_EQ(nothing.query_key.effective_rank, std::nullopt);
  EXPECT_EQ(nothing.asymmetry, std::nullopt);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

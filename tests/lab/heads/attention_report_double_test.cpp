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

  Tensor value(const std::string& name) {
    for (const NamedParameter& parameter : model_.store.parameters()) {
      if (parameter.name == name) {
        return model_.store.value(parameter);
      }
    }
    throw std::logic_error(name);
  }

  std::vector<std::optional<HeadMaps>> maps_of(const std::string& path) const {
    for (const MultiHeadAttention* attention : model_.transformer.attentions()) {
      if (attention->module.path() == path) {
        return head_maps(model_.store, *attention);
      }
    }
    throw std::logic_error(path);
  }

  // Σ_r a[first + r][i] b(r, j), entry by entry.
  template <class Right>
  static double norm_of(const Tensor& a, Index first, Index width, Index columns,
                        const Right& right) {
    double squares = 0;
    for (Index i = 0; i < a.dim(1); ++i) {
      for (Index j = 0; j < columns; ++j) {
        double sum = 0;
        for (Index r = 0; r < width; ++r) {
          sum += a.row(first + r)[i] * right(r, j);
        }
        squares += sum * sum;
      }
    }
    return std::sqrt(squares);
  }

  TinyModel model_;
};

TEST_F(Maps, have_the_norms_of_the_matrices) {
  const Index width = *tiny_options().d_head;
  const Index D = tiny_options().d_model;
  const std::string path = "decoder.layers.0.cross";
  const auto maps = maps_of(path);
  ASSERT_EQ(maps.size(), 2U);
  const Tensor query = value(path + ".query.weight");
  const Tensor key = value(path + ".key.weight");
  const Tensor values = value(path + ".value.weight");
  const Tensor output = value(path + ".output.weight");
  for (Index head = 0; head < 2; ++head) {
    const HeadMaps& found = *maps[static_cast<std::size_t>(head)];
    const Index first = head * width;
    EXPECT_NEAR(
        found.query_key.norm,
        norm_of(query, first, width, D, [&](Index r, Index j) { return key.row(first + r)[j]; }),
        1e-9);
    EXPECT_NEAR(found.value_output.norm,
                norm_of(values, first, width, D,
                        [&](Index r, Index j) { return output.row(j)[first + r]; }),
                1e-9);
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
    const auto key = std::ranges::find(
        model.store.parameters(), attention.module.path() + ".key.weight", &NamedParameter::name);
    Tensor weight = model.store.value(*key);
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

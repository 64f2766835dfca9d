// Attention with one setting equals a plain formula, or attention with another setting.
#include "core/ops/linear.hpp"
#include "tests/support/lone_attention.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

const Segments two_sequences = segments_of({5, 3});
Tensor some_rows(Index columns = 6) { return random_tensor({8, columns}, 4); }

void expect_near(const Tensor& one, const Tensor& other, double tolerance = 1e-12) {
  ASSERT_EQ(one.shape(), other.shape());
  EXPECT_THAT(one.values(), Pointwise(DoubleNear(tolerance), other.values()));
}

Tensor product(const Tensor& a, const Tensor& b_transposed) {
  Tape tape(false);
  return linear(tape.constant(a), tape.constant(b_transposed)).value();
}

Tensor sum(const Tensor& a, const Tensor& b) {
  Tensor c = a.copy();
  std::ranges::transform(a.values(), b.values(), c.values().begin(), std::plus<>());
  return c;
}

void expect_equal(const LoneAttention& one, const LoneAttention& other) {
  expect_near(one(some_rows(), two_sequences), other(some_rows(), two_sequences));
}

// Gives `to` these parameters of `from`.
void copy(LoneAttention& from, LoneAttention& to, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    to.set(name, from.value(name));
  }
}

// softmax((Q Kᵀ + Q rᵀ) / √d_qk) (V + r') W_Oᵀ for each sequence, by hand; r and r' are 0 or those
// of Shaw et al. 2018, equations 3 and 4.
TEST(AttentionEqualities, one_wide_head_is_plain_attention_and_relative_is_shaws_formula) {
  for (const bool relative : {false, true}) {
    SCOPED_TRACE(relative);
    AttentionSettings settings;
    if (relative) {
      settings.positions.values = {AttentionPositions::relative};
      settings.clip.values = {2};
    }
    LoneAttention one(settings, 1);
    one.without_biases();
    const Tensor x = some_rows();
    const Tensor q = product(x, one.value("query.weight"));
    const Tensor k = product(x, one.value("key.weight"));
    const Tensor v = product(x, one.value("value.weight"));
    const Tensor to_keys = relative ? one.value("distance.key") : Tensor::zeros({5, 6});
    const Tensor to_values = relative ? one.value("distance.value") : Tensor::zeros({5, 6});
    Tensor heads = Tensor::zeros({8, 6});
    for (const Segment& segment : two_sequences.list) {
      const Index end = segment.row + segment.rows;
      for (Index i = segment.row; i < end; ++i) {
        const auto distance = [&](Index j) { return std::clamp<Index>(j - i, -2, 2) + 2; };
        std::vector<double> weights;
        for (Index j = segment.row; j < end; ++j) {
          double score = 0;
          for (Index c = 0; c < 6; ++c) {
            score += q.row(i)[c] * (k.row(j)[c] + to_keys.row(distance(j))[c]);
          }
          weights.push_back(std::exp(score / std::sqrt(6.0)));
        }
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (Index j = segment.row; j < end; ++j) {
          for (Index c = 0; c < 6; ++c) {
            heads.row(i)[c] += weights[static_cast<std::size_t>(j - segment.row)] / total *
                               (v.row(j)[c] + to_values.row(distance(j))[c]);
          }
        }
      }
    }
    expect_near(one(x, two_sequences), product(heads, one.value("output.weight")));
  }
}

TEST(AttentionEqualities, a_shared_weight_has_the_sum_of_the_untied_gradients) {
  struct Case {
    Sharing sharing;
    std::string shared;
    std::vector<std::string> of;
  };
  const Tensor x = some_rows();
  for (const auto& [sharing, shared, of] :
       {Case{Sharing::query_key, "query_key", {"query", "key"}},
        Case{Sharing::key_value, "key_value", {"key", "value"}},
        Case{Sharing::query_value, "query_value", {"query", "value"}},
        Case{Sharing::all, "query_key_value", {"query", "key", "value"}}}) {
    SCOPED_TRACE(shared);
    LoneAttention tied({.sharing = {{sharing}}});
    LoneAttention free({});
    for (const char* part : {".weight", ".bias"}) {
      for (const std::string& name : of) {
        free.set(name + part, tied.value(shared + part));
      }
    }
    expect_equal(tied, free);
    for (const char* part : {".weight", ".bias"}) {
      Tensor expected = free.gradient(of[0] + part, x, two_sequences);
      for (std::size_t i = 1; i < of.size(); ++i) {
        expected = sum(expected, free.gradient(of[i] + part, x, two_sequences));
      }
      expect_near(tied.gradient(shared + part, x, two_sequences), expected);
    }
  }
}

TEST(AttentionEqualities, two_tied_heads_are_one_with_the_sum_of_their_output_weights) {
  AttentionSettings settings{.d_qk = {{4}}, .d_v = {{3}}};
  LoneAttention one(settings, 1);
  settings.head_weights.values = {HeadWeights::tied};
  LoneAttention two(settings, 2);
  copy(one, two,
       {"query.weight", "query.bias", "key.weight", "key.bias", "value.weight", "value.bias"});
  const Tensor both = two.value("output.weight");
  Tensor summed = Tensor::empty({6, 3});
  for (Index i = 0; i < 6; ++i) {
    for (Index c = 0; c < 3; ++c) {
      summed.row(i)[c] = both.row(i)[c] + both.row(i)[3 + c];
    }
  }
  one.set("output.weight", summed);
  expect_equal(two, one);
}

// Q = K = V = X W, with W applied by the attention or before it.
TEST(AttentionEqualities, identity_on_projected_rows_is_all_on_rows) {
  const AttentionSettings all{.sharing = {{Sharing::all}}, .combine = {{Combine::concatenate}}};
  AttentionSettings none = all;
  none.sharing.values = {Sharing::identity};
  LoneAttention shared(all, 1);
  shared.without_biases();
  const Tensor x = some_rows();
  const LoneAttention identity(none, 1);
  EXPECT_EQ(identity.store.count(), 6);  // output bias
  expect_near(identity(product(x, shared.value("query_key_value.weight")), two_sequences),
              shared(x, two_sequences));
}

// Equals a query weight that is the identity for each head.
TEST(AttentionEqualities, identity_queries_are_those_of_an_identity) {
  LoneAttention identity({.sharing = {{Sharing::identity_query}}});
  LoneAttention projected({.d_qk = {{6}}});
  identity.without_biases();
  projected.without_biases();
  Tensor query = Tensor::zeros(projected.value("query.weight").shape());
  for (Index row = 0; row < query.dim(0); ++row) {
    query.row(row)[row % 6] = 1;
  }
  projected.set("query.weight", query);
  copy(identity, projected, {"key.weight", "value.weight", "output.weight"});
  expect_equal(identity, projected);
}

TEST(AttentionEqualities, a_map_before_is_a_map_within) {
  const Tensor x = some_rows();
  const Tensor before = random_tensor({6, 6}, 9);  // (in, out)
  LoneAttention outside({});
  LoneAttention inside({});
  outside.without_biases();
  inside.without_biases();
  Tensor before_transposed = Tensor::empty({6, 6});
  for (Index i = 0; i < 36; ++i) {
    before_transposed.data()[i % 6 * 6 + i / 6] = before.data()[i];
  }
  for (const std::string name : {"query.weight", "key.weight", "value.weight"}) {
    inside.set(name, product(outside.value(name), before));
  }
  expect_near(outside(product(x, before_transposed), two_sequences), inside(x, two_sequences));
}

// s_ij = s_ji: around any three rows, the score differences (which softmax preserves) sum to 0.
TEST(AttentionEqualities, a_shared_query_key_weight_has_symmetric_scores) {
  const auto around = [](const LoneAttention& alone) {
    const Tensor weights = alone.recorded(some_rows(), segments_of({8}))[1].weights;
    const auto score = [&](Index i, Index j) { return std::log(weights.row(i)[j]); };
    return score(2, 5) - score(2, 7) + score(5, 7) - score(5, 2) + score(7, 2) - score(7, 5);
  };
  EXPECT_NEAR(around(LoneAttention({.sharing = {{Sharing::query_key}}})), 0, 1e-12);
  EXPECT_GT(std::abs(around(LoneAttention({}))), 1e-2);
}

TEST(AttentionEqualities, permuted_rows_give_permuted_rows) {
  const auto permute = [](const Tensor& x) {
    Tensor permuted = Tensor::empty({5, 6});
    Index i = 0;
    for (const Index row : {4, 2, 0, 1, 3}) {
      std::copy_n(x.row(row), 6, permuted.row(i++));
    }
    return permuted;
  };
  const Tensor x = random_tensor({5, 6}, 4);
  const Segments segments = segments_of({5});
  const LoneAttention alone({});
  EXPECT_THAT(alone(permute(x), segments).values(),
              Pointwise(DoubleNear(1e-12), permute(alone(x, segments)).values()));
  const LoneAttention rotary({.d_qk = {{4}}, .positions = {{AttentionPositions::rotary}}});
  EXPECT_THAT(rotary(permute(x), segments).values(),
              Not(Pointwise(DoubleNear(1e-3), permute(rotary(x, segments)).values())));
}

TEST(AttentionEqualities, relative_positions_do_not_see_a_shift) {
  const Segments here{.list = {{0, 5, 0}, {5, 3, 0}}, .first_row = 0};
  const Segments there{.list = {{0, 5, 40}, {5, 3, 7}}, .first_row = 0};
  const Tensor nowhere = LoneAttention({.d_qk = {{4}}})(some_rows(), here);
  for (std::size_t i = 1; i < EnumNames<AttentionPositions>::names.size(); ++i) {
    SCOPED_TRACE(EnumNames<AttentionPositions>::names[i]);
    const LoneAttention relative(
        {.d_qk = {{4}}, .positions = {{static_cast<AttentionPositions>(i)}}});
    const Tensor y = relative(some_rows(), here);
    expect_near(y, relative(some_rows(), there), 1e-10);
    EXPECT_THAT(y.values(), Not(Pointwise(DoubleNear(1e-3), nowhere.values())));
  }
}

// (q + u) k + (q + v) W R (Dai et al. 2019, section 3.3), compared by differences of log weights.
TEST(AttentionEqualities, transformer_xl_is_dais_formula) {
  LoneAttention one({.positions = {{AttentionPositions::transformer_xl}}, .clip = {{7}}}, 1);
  one.without_biases();
  const Tensor x = some_rows();
  const Tensor q = product(x, one.value("query.weight"));
  const Tensor k = product(x, one.value("key.weight"));
  const Tensor u = one.value("distance.content");
  const Tensor v = one.value("distance.place");
  const Tensor map = one.value("distance.weight");  // (d_qk, D)
  const auto score = [&](Index i, Index j) {
    double sum = 0;
    for (Index c = 0; c < 6; ++c) {
      double placed = 0;
      for (Index e = 0; e < 6; ++e) {
        const double angle =
            static_cast<double>(j - i) / std::pow(10000.0, static_cast<double>(e - e % 2) / 6.0);
        placed += map.row(c)[e] * (e % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
      sum += (q.row(i)[c] + u.data()[c]) * k.row(j)[c] + (q.row(i)[c] + v.data()[c]) * placed;
    }
    return sum / std::sqrt(6.0);
  };
  const Tensor weights = one.recorded(x, segments_of({8}))[0].weights;
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 1; j < 8; ++j) {
      EXPECT_NEAR(std::log(weights.row(i)[j] / weights.row(i)[0]), score(i, j) - score(i, 0),
                  1e-10);
    }
  }
}

TEST(AttentionEqualities, as_many_key_heads_as_heads_is_ordinary) {
  EXPECT_THAT(LoneAttention({.kv_heads = {{2}}})(some_rows(), two_sequences).values(),
              ElementsAreArray(LoneAttention({})(some_rows(), two_sequences).values()));
}

// One head of keys and values must equal two heads that hold the same keys and values.
TEST(AttentionEqualities, one_key_head_is_the_same_keys_for_all) {
  LoneAttention one({.kv_heads = {{1}}});
  LoneAttention two({});
  for (const std::string part : {".weight", ".bias"}) {
    copy(one, two, {"query" + part});
    for (const std::string name : {"key", "value"}) {
      const Tensor half = one.value(name + part);
      Tensor both = Tensor::empty(two.value(name + part).shape());
      std::ranges::copy(half.values(), both.values().begin());
      std::ranges::copy(half.values(), both.values().begin() + half.size());
      two.set(name + part, both);
    }
  }
  expect_equal(one, two);
}

// The dot product as a user-defined score.
struct Product {
  double operator()(std::span<const double> query, std::span<const double> key) const {
    return std::inner_product(query.begin(), query.end(), key.begin(), 0.0);
  }
  void backward(double dscore, std::span<const double> query, std::span<const double> key,
                std::span<double> dquery, std::span<double> dkey) const {
    for (std::size_t c = 0; c < query.size(); ++c) {
      dquery[c] += dscore * key[c];
      dkey[c] += dscore * query[c];
    }
  }
};

TEST(AttentionScore, of_ones_own_takes_the_place_of_products) {
  LoneAttention products({});
  LoneAttention own({});
  own.attention.pair_scores = {score_by(Product{}), nullptr};
  const Tensor x = some_rows();
  expect_equal(own, products);
  expect_near(own.gradient("query.weight", x, two_sequences),
              products.gradient("query.weight", x, two_sequences));
  own.attention.pair_scores = {score_by(Product{}), score_by(Product{})};
  expect_equal(own, products);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

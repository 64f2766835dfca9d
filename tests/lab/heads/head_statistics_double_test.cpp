// The sums of each head over a split compared with sums computed from the recorded weights of each
// sentence, for plain and for composed attention.
#include "tests/support/head_means.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/watched_models.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double statistics_rounding = 1e-10;

Index offset_to(Index query, Index key) { return std::clamp<Index>(key - query, -reach, reach); }

bool is_word(TokenId token) { return token > end_mark; }

// The highest token id is the rarest (tiny_facts).
bool is_rarest(const Seen& seen, std::size_t head, Index query, Index key) {
  for (Index j = 0; j < std::ssize(seen.keys); ++j) {
    const bool before = seen.key(j) > seen.key(key) || (seen.key(j) == seen.key(key) && j < key);
    if (seen.sees(head, query, j) && is_word(seen.key(j)) && before) {
      return false;
    }
  }
  return is_word(seen.key(key));
}

// Whether this key is at the place `place` for this query.
bool is_at(std::string_view place, const Seen& seen, std::size_t head, Index query, Index key) {
  const std::map<std::string_view, bool> places{
      {"same_position", key == query},
      {"previous", key == query - 1},
      {"next", key == query + 1},
      {"first", key == 0 && seen.key_count(head, query) > 1},
      {"last", !seen.causal && key + 1 == static_cast<Index>(seen.keys.size())},
      {"punctuation", seen.key(key) == tiny_vocabulary - 2},
      {"rarest", is_rarest(seen, head, query, key)},
      {"induction", seen.self && key > 0 && key <= query &&
                        seen.key(key - 1) == seen.queries[static_cast<std::size_t>(query)]},
      {"duplicate", seen.self && key < query && seen.key(key) == seen.key(query)}};
  return places.at(place);
}

// Whether a query counts for the first or last key even if it may not attend to that key.
bool always_counts(std::string_view place, const Seen& seen, std::size_t head, Index query) {
  return (place == "first" && seen.key_count(head, query) > 1) || (place == "last" && !seen.causal);
}

void expect_places(const HeadSums& head, const std::vector<Seen>& sentences, std::size_t number) {
  for (const HeadFigureRow& row : head_figure_rows()) {
    if (!row.key.starts_with("weight_on.")) {
      continue;
    }
    SCOPED_TRACE(row.key);
    const std::string place = row.key.substr(row.key.find('.') + 1);
    double queries = 0;
    double weight = 0;
    double even = 0;
    sum_of(sentences, [&](const Seen& seen, Index i) {
      double there = 0;
      for (Index j = 0; j < std::ssize(seen.keys); ++j) {
        if (seen.sees(number, i, j) && is_at(place, seen, number, i, j)) {
          ++there;
          weight += seen.weight(number, i, j);
        }
      }
      queries += there > 0 || always_counts(place, seen, number, i) ? 1 : 0;
      even += there / static_cast<double>(seen.key_count(number, i));
      return 0;
    });
    EXPECT_EQ(mean_in(head, row.key).queries, queries);
    EXPECT_NEAR(mean_in(head, row.key).value, weight, statistics_rounding);
    EXPECT_NEAR(mean_in(head, row.key).even, even, statistics_rounding);
  }
}

void expect_offsets(const HeadSums& head, const std::vector<Seen>& sentences, std::size_t number) {
  for (Index offset = -reach; offset <= reach; ++offset) {
    SCOPED_TRACE(offset);
    const auto o = static_cast<std::size_t>(offset + reach);
    const auto sum_where = [&](const auto& term) {
      return sum_of(sentences, [&](const Seen& seen, Index i) {
        double sum = 0;
        for (Index j = 0; j < std::ssize(seen.keys); ++j) {
          sum += seen.sees(number, i, j) && offset_to(i, j) == offset ? term(seen, i, j) : 0;
        }
        return sum;
      });
    };
    EXPECT_NEAR(head.offset_weight[o], sum_where([&](const Seen& seen, Index i, Index j) {
                  return seen.weight(number, i, j);
                }),
                statistics_rounding);
    EXPECT_EQ(head.offset_chosen[o], sum_where([&](const Seen& seen, Index i, Index j) {
                return j == largest_key(seen, number, i) ? 1.0 : 0.0;
              }));
    EXPECT_EQ(head.offset_queries[o], sum_of(sentences, [&](const Seen& seen, Index i) {
                bool any = false;
                for (Index j = 0; j < std::ssize(seen.keys); ++j) {
                  any = any || (seen.sees(number, i, j) && offset_to(i, j) == offset);
                }
                return any ? 1.0 : 0.0;
              }));
  }
}

void expect_head(const HeadSums& head, const std::vector<Seen>& sentences, std::size_t number) {
  EXPECT_EQ(head.queries, sum_of(sentences, [](const Seen&, Index) { return 1.0; }));
  EXPECT_NEAR(mean_in(head, "entropy").value,
              sum_of(sentences,
                     [&](const Seen& seen, Index i) { return entropy(row_of(seen, number, i)); }),
              statistics_rounding);
  EXPECT_NEAR(mean_in(head, "entropy").even,
              sum_of(sentences,
                     [&](const Seen& seen, Index i) {
                       return std::log(static_cast<double>(seen.key_count(number, i)));
                     }),
              statistics_rounding);
  EXPECT_NEAR(mean_in(head, "confidence").value,
              sum_of(sentences,
                     [&](const Seen& seen, Index i) {
                       return seen.weight(number, i, largest_key(seen, number, i));
                     }),
              statistics_rounding);
  expect_places(head, sentences, number);
  expect_offsets(head, sentences, number);
}

using HeadStatistics = WatchedModel;

INSTANTIATE_TEST_SUITE_P(Models, HeadStatistics, ValuesIn(watched_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(HeadStatistics, of_each_head_are_those_of_its_weights) {
  const auto watched = watch();
  ASSERT_EQ(watched.size(), seen_.size());
  for (const AttentionSums& attention : watched) {
    const std::vector<Seen>& sentences = seen_.at(attention.site.text());
    ASSERT_EQ(attention.heads.size(), sentences[0].weights.size());
    for (std::size_t head = 0; head < attention.heads.size(); ++head) {
      SCOPED_TRACE(attention.site.text() + " " + std::to_string(head));
      expect_head(attention.heads[head], sentences, head);
    }
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

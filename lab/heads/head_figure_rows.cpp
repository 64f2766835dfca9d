#include "lab/heads/head_figure_rows.hpp"

#include "lab/heads/head_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Rows = HeadFigureRows;
using Head = ReportedHead;
using Query = AttendedQuery;
using Distances = std::vector<double> HeadReport::*;

std::optional<QueryFigure> entropy(const Query& at) {
  double entropy = 0;
  for (const Index key : at.keys) {
    entropy -= entropy_term(at.weight(key));
  }
  return QueryFigure{.value = entropy, .even = std::log(static_cast<double>(at.keys.size()))};
}

std::optional<QueryFigure> largest_weight(const Query& at) {
  return QueryFigure{.value = static_cast<double>(*std::ranges::max_element(at.weights))};
}

// The weight on the sentence's first or last key. It is 0 if the pattern hides that key.
std::optional<QueryFigure> on_end(const Query& at, bool counts, Index end) {
  const auto there = at.weight_on([end](Index key) { return key == end; });
  return counts ? std::optional(there.value_or(QueryFigure())) : std::nullopt;
}

// The weight on the first of the rarest keys. Absent if all keys are marks.
std::optional<QueryFigure> rarest(const Query& at) {
  const TokenFacts& facts = at.sequence.key_facts;
  const auto count_of = [&](Index key) { return facts.occurrences_of(at.key_token(key)); };
  Index rarest = -1;
  for (const Index key : at.keys) {
    if (!facts.is_mark(at.key_token(key)) && (rarest < 0 || count_of(key) < count_of(rarest))) {
      rarest = key;
    }
  }
  return at.weight_on([rarest](Index key) { return key == rarest; });
}

// The weight on the keys for which chosen(query, key) holds.
template <class Chosen>
auto on(Chosen chosen) {
  return [chosen](const Query& at) {
    return at.weight_on([&](Index key) { return chosen(at, key); });
  };
}

auto at_offset(Index offset) {
  return on([offset](const Query& at, Index key) { return key == at.query + offset; });
}

Json distance_profile(const Head& head) {
  Json profile;
  for (Index offset = -reach; offset <= reach; ++offset) {
    profile[fmt::format("{:+d}", offset)] =
        or_null(head->figures.distance_profile[static_cast<std::size_t>(offset + reach)]);
  }
  return profile;
}

// The mean |offset|, in positions. Farther offsets count as the outermost offset of the profile.
Json mean_distance(const Head& head) {
  double sum = 0;
  for (std::size_t i = 0; i < head->figures.distance_profile.size(); ++i) {
    sum += head->figures.distance_profile[i].value_or(0) * std::abs(static_cast<double>(i) - reach);
  }
  return head->figures.at("entropy").value ? Json(sum) : Json();
}

Json evenness(const Head& head) {
  const MeanFigure entropy = head->figures.at("entropy");
  return entropy.even > 0 ? Json(*entropy.value / *entropy.even) : Json();
}

std::string entropy_text(const Head& head) {
  const MeanFigure entropy = head->figures.at("entropy");
  return entropy.value ? fmt::format("{:.2f} of {:.2f}", *entropy.value, *entropy.even) : "";
}

std::string offset_text(const Head& head) {
  const HeadFigures& of = head->figures;
  return of.offset ? fmt::format("{:+d}: {:.0f} %", *of.offset, 100 * *of.offset_share) : "";
}

auto mean_from(Distances distances) {
  return [distances](const Head& head) {
    const std::vector<double>& all = (*head).*distances;
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    return all.size() > 1 ? Json(sum / static_cast<double>(all.size() - 1)) : Json();
  };
}

// The distance to the nearest head of the attention, with that head's number in parentheses.
auto nearest_by(Distances distances) {
  return [distances](const Head& head) {
    const auto nearest = nearest_of(head.attention.site, (*head).*distances, head.number);
    return nearest ? fmt::format("{:.2f} ({})", nearest->distance, nearest->head) : "";
  };
}

Json divergence_across(const Head& head) {
  Json across = Json::object();
  for (const auto& [site, divergence] : head->divergence_across) {
    across[site.text()] = divergence;
  }
  return across;
}

Json nearest(const Head& head) {
  const auto& nearest = head->nearest;
  return nearest ? Json{{"attention", nearest->site.text()},
                        {"head", nearest->head},
                        {"divergence", nearest->distance}}
                 : Json();
}

std::string nearest_name(const Head& head) {
  const auto& nearest = head->nearest;
  return nearest ? fmt::format("{}.{}", nearest->site.text(), nearest->head) : "";
}

template <class Of>
auto of_maps(Of of) {
  return [of](const Head& head) { return head->maps ? Json(of(*head->maps)) : Json(); };
}

// A row for the share of the weight on some keys. Its JSON key contains the column's name.
HeadFigureRow weight_on(const std::string& column, std::string help, std::string sweep,
                        decltype(HeadFigureRow::of_query) of_query) {
  const std::string name = replaced(column, {{" ", "_"}});
  return {.key = "weight_on." + name,
          .column = column,
          .help = std::move(help),
          .format = as_percent,
          .of_query = std::move(of_query),
          .even = true,
          .sweep = std::move(sweep),
          .curve = "weight on " + name};
}

Rows weight_rows() {
  return {
      {"role", "role",
       "what the head is for, by the thresholds below; none: it reaches no threshold",
       [](const Head& head) { return name_of(head->figures.role); }, as_words},
      {.key = "entropy",
       .column = "entropy",
       .help = "entropy of the weights, in nats; after \"of\" the maximum, reached by an even "
               "spread over all keys that the head's pattern allows; 0: all weight is on one key",
       .cell = entropy_text,
       .of_query = entropy,
       .even = true,
       .sweep = "entropy",
       .spread = true},
      {.key = "confidence",
       .column = "confidence",
       .help = "the largest weight, in percent",
       .format = as_percent,
       .of_query = largest_weight,
       .sweep = "confidence",
       .curve = "largest weight"},
      weight_on("same position",
                "percent of the weight on the key at the query's own position; in cross-attention "
                "a token of the other sentence",
                "same_position", at_offset(0)),
      weight_on("previous", "percent on the position before", "previous", at_offset(-1)),
      weight_on("next", "percent on the position after", "next", at_offset(1)),
      weight_on("first",
                "percent on the sentence's first key, of the queries that may look elsewhere",
                "first", [](const Query& at) { return on_end(at, at.keys.size() > 1, 0); }),
      weight_on("last", "percent on its last key", "",
                [](const Query& at) {
                  return on_end(at, !at.sequence.causal, std::ssize(at.sequence.keys) - 1);
                }),
      weight_on("punctuation", "percent on punctuation, of the queries that may attend to some", "",
                on([](const Query& at, Index key) {
                  return at.sequence.key_facts.is_punctuation(at.key_token(key));
                })),
      weight_on("rarest", "percent on the key that is rarest in the training data, except marks",
                "", rarest),
      weight_on("induction",
                "percent on keys right after an earlier occurrence of the query's own token", "",
                on([](const Query& at, Index key) {
                  return at.sequence.self && 0 < key && key <= at.query &&
                         at.key_token(key - 1) == at.key_token(at.query);
                })),
      weight_on("duplicate", "percent on earlier occurrences of the query's own token", "",
                on([](const Query& at, Index key) {
                  return at.sequence.self && key < at.query &&
                         at.key_token(key) == at.key_token(at.query);
                })),
      {.key = "distance_profile",
       .column = "by distance",
       .help = "weight by key position minus query position, from -8 to +8",
       .of = distance_profile,
       .printed = false},
      {.help = "how far the weights lie from the query, in positions; farther than 8 counts as 8",
       .of = mean_distance,
       .sweep = "distance",
       .spread = true},
      {.help = "the entropy divided by the entropy of an even spread",
       .of = evenness,
       .sweep = "evenness"},
      {.key = "offset",
       .column = "offset",
       .help = "key position minus query position at which the largest weight lies most often, and "
               "in what percent of the queries that have a key there",
       .of = [](const Head& head) { return or_null(head->figures.offset); },
       .cell = offset_text},
      {.key = "offset_share",
       .help = "share of the queries with a key at this offset whose largest weight is on this key",
       .of = [](const Head& head) { return or_null(head->figures.offset_share); },
       .curve = "largest weight at one offset"},
      {.key = "divergence",
       .column = "nearest",
       .help = "mean Jensen-Shannon divergence of the weights from the nearest head of the same "
               "attention (its number in parentheses), in nats: 0 for the same weights, 0.69 where "
               "no key is in common",
       .of = [](const Head& head) { return head->divergence; },
       .cell = nearest_by(&HeadReport::divergence),
       .sweep = "divergence"},
      {"", "relation",
       "the known relation that the head agrees with best, in what percent of the queries, and in "
       "what percent the best fixed offset is right",
       [](const Head& head) { return relation_text(head.attention, head.number); }, as_words}};
}

Rows pair_rows() {
  return {
      {.key = "output_distance",
       .help = "distance from what each head of the same attention writes",
       .of = [](const Head& head) { return head->output_distance; },
       .sweep = "output_distance"},
      {.key = "divergence_across",
       .help = "divergence of the weights from each head of the other attentions of the kind",
       .of = divergence_across},
      {"", "weights",
       "mean divergence of the weights from the other heads of the same attention, in nats",
       mean_from(&HeadReport::divergence)},
      {"", "nearest", "the least divergence from a head of any attention of the kind",
       [](const Head& head) { return head->nearest ? Json(head->nearest->distance) : Json(); }},
      {"nearest", "of all layers",
       "the head of any layer whose weights are most alike, and the divergence from it", nearest,
       as_words, nearest_name},
      {"", "outputs",
       "mean distance from what the other heads of the same attention write, 1 - cos: 0 for the "
       "same direction, 1 for unrelated ones",
       mean_from(&HeadReport::output_distance)},
      {.column = "nearest",
       .help = "column after outputs: the least of these distances; the head in parentheses",
       .cell = nearest_by(&HeadReport::output_distance)}};
}

// Rows about one of a head's two maps, with their help texts.
Rows map_rows(const std::string& key, const std::string& name, MapFigures HeadMaps::* map,
              const std::string& norm_help, const std::string& rank_help) {
  const auto of_map = [map](auto of) {
    return of_maps([map, of](const HeadMaps& maps) { return of(maps.*map); });
  };
  const auto rank_text = [map](const Head& head) {
    const MapFigures of = head->maps ? (*head->maps).*map : MapFigures();
    return of.effective_rank ? fmt::format("{:.1f} of {}", *of.effective_rank, of.width) : "";
  };
  return {
      {.key = key, .of = of_map([](const MapFigures&) { return Json::object(); })},
      {key + ".norm", name + " norm", norm_help,
       of_map([](const MapFigures& of) { return of.norm; })},
      {key + ".effective_rank", name + " effective rank", rank_help,
       of_map([](const MapFigures& of) { return or_null(of.effective_rank); }), "{}", rank_text},
      {.key = key + ".width", .help = "the head's width", .of = of_map([](const MapFigures& of) {
                                                            return of.width;
                                                          })}};
}

Rows matrix_rows() {
  Rows rows = map_rows("query_key", "QK", &HeadMaps::query_key,
                       "Frobenius norm of W_Q W_Kᵀ, the map from pairs of inputs to scores",
                       "effective rank of W_Q W_Kᵀ, exp of the entropy of the singular values' "
                       "shares; after \"of\" the head's width, the maximum");
  rows.push_back({.key = "query_key.asymmetry",
                  .column = "asymmetry",
                  .help = "|M - Mᵀ| / (2 |M|) of M = W_Q W_Kᵀ: 0 if query and key can be "
                          "exchanged, 0.71 for unrelated query and key matrices",
                  .of = of_maps([](const HeadMaps& maps) { return or_null(maps.asymmetry); }),
                  .sweep = "asymmetry"});
  std::ranges::move(
      map_rows("value_output", "VO", &HeadMaps::value_output,
               "Frobenius norm of W_V W_O, the map from attended inputs to the head's output",
               "effective rank of W_V W_O, and after \"of\" the head's width"),
      std::back_inserter(rows));
  return rows;
}

}  // namespace

const HeadReport& ReportedHead::operator*() const { return attention.heads[number]; }

const HeadFigureRows& head_figure_rows() {
  static const Rows all = [] {
    Rows rows = weight_rows();
    for (auto& [table, more] : {std::pair(HeadTable::pairs, pair_rows()),
                                std::pair(HeadTable::matrices, matrix_rows())}) {
      for (const HeadFigureRow& row : more) {
        rows.push_back(row);
        rows.back().table = table;
      }
    }
    return rows;
  }();
  return all;
}

void expect_figure_rows(const Rows& rows) {
  std::set<std::string> names;
  for (const HeadFigureRow& row : rows) {
    const auto expect = [&](bool right, std::string_view what) {
      if (!right) {
        throw ConfigError("the figure of heads {}: {}", row.key.empty() ? row.column : row.key,
                          what);
      }
    };
    for (const std::string& name : {row.key, row.curve, row.sweep.empty() ? "" : "." + row.sweep}) {
      expect(name.empty() || names.insert(name).second, "another figure has its name");
    }
    expect(std::ranges::count(row.key, '.') <= 1, "a key has one dot at most");
    expect(row.column.empty() || !row.help.empty(), "a column needs `help`, what it means");
    expect(!row.of_query || !row.of, "it has `of_query` or `of`, not both");
    expect(row.of_query || row.of || row.cell, "it has neither `of_query` nor `of`");
    expect(!row.of_query || !row.key.empty(), "a mean over queries needs a key");
  }
}

Json value_of(const HeadFigureRow& row, const ReportedHead& head) {
  return row.of_query ? or_null(head->figures.at(row.key).value) : row.of ? row.of(head) : Json();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

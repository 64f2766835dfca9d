// The figures of a head, each described once, by a row. Sums, tables, JSON, legend, pages, sweeps
// and docs/head-figures.md are made of these rows.
#pragma once

#include "core/files/json_text.hpp"
#include "core/scalar.hpp"
#include "lab/figure_table.hpp"
#include "lab/heads/attended_sequence.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct AttentionReport;
struct HeadReport;

// What one query has of a figure, and what it would have with even weights on all keys it may see.
struct QueryFigure {
  double value = 0;
  double even = 0;
};

// A query of a head that may attend to something.
struct AttendedQuery {
  const AttendedSequence& sequence;
  Index query;                      // its position
  std::span<const Index> keys;      // that it may attend to, in their order; at least one
  std::span<const Scalar> weights;  // on each key of the sequence

  double weight(Index key) const {
    return static_cast<double>(weights[static_cast<std::size_t>(key)]);
  }
  TokenId key_token(Index key) const { return sequence.keys[static_cast<std::size_t>(key)]; }

  // The weight on the keys for which `chosen(key)` holds. Absent if no key is chosen.
  template <class Chosen>
  std::optional<QueryFigure> weight_on(const Chosen& chosen) const {
    QueryFigure sum;
    for (const Index key : keys) {
      if (chosen(key)) {
        sum.value += weight(key);
        sum.even += 1;
      }
    }
    const bool any = sum.even > 0;
    sum.even /= static_cast<double>(keys.size());
    return any ? std::optional(sum) : std::nullopt;
  }
};

// A head of a report, with the attention that it belongs to.
struct ReportedHead {
  const AttentionReport& attention;
  std::size_t number;

  const HeadReport& operator*() const;
  const HeadReport* operator->() const { return &**this; }
};

enum class HeadTable { weights, matrices, pairs };

// A figure of a head, with the members of a FigureRow and more. Either it follows from what is
// known of the head (`of`; a list has a number for each head of the attention), or it is a mean
// over the queries that have it (`of_query`, which several threads call).
struct HeadFigureRow {
  std::string key;
  std::string column{};
  std::string help{};
  std::function<Json(const ReportedHead&)> of{};
  std::string format = "{:.2f}";
  std::function<std::string(const ReportedHead&)> cell{};
  std::function<std::optional<QueryFigure>(const AttendedQuery&)> of_query{};
  // JSON has the mean for an even spread too, at "even_" + key. A share is absent if that is 0.
  bool even = false;
  std::string sweep{};  // name of the mean over the heads of a kind, or over their pairs, in sweeps
  bool spread = false;  // with its sample deviation
  std::string curve{};  // name of the page's curve over the steps
  HeadTable table = HeadTable::weights;
  bool printed = true;  // false: a column of pages only
};

// Those that tapehead knows, in the order of JSON and tables.
const std::vector<HeadFigureRow>& head_figure_rows();

// Throws ConfigError, with the figure, for two with one name, a key with two dots, a column without
// `help`, both or neither of `of_query` and `of` (a `cell` also suffices), and a mean over queries
// without a key.
void expect_figure_rows(const std::vector<HeadFigureRow>& rows);

Json value_of(const HeadFigureRow& row, const ReportedHead& head);

// What cannot be is null in JSON.
template <class Number>
Json or_null(const std::optional<Number>& figure) {
  return figure ? Json(*figure) : Json();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

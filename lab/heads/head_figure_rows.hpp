// The figures of a head, each described by one row for sums, tables, JSON, pages, sweeps and docs.
#pragma once

#include "core/scalar.hpp"
#include "lab/heads/attended_sequence.hpp"
#include "train/output/figure_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct AttentionReport;
struct HeadReport;

// A figure of one query, and its value for even weights on all keys that the query may attend to.
struct QueryFigure {
  double value = 0;
  double even = 0;
};

// A query of a head that may attend to at least one key.
struct AttendedQuery {
  const AttendedSequence& sequence;
  Index query;                      // its position
  std::span<const Index> keys;      // the keys that it may attend to, in their order
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

struct ReportedHead {
  const AttentionReport& attention;
  std::size_t number;

  const HeadReport& operator*() const;
  const HeadReport* operator->() const { return &**this; }
};

enum class HeadTable { weights, matrices, pairs };

// A figure of a head: the members of a FigureRow and more. It either follows from the HeadReport
// (`of`; a list has one number for each head of the attention), or it is a mean over the queries
// for which `of_query` returns a value. Several threads call `of_query`.
struct HeadFigureRow {
  std::string key{};
  std::string column{};
  std::string help{};
  std::function<Json(const ReportedHead&)> of{};
  std::string format = "{:.2f}";
  std::function<std::string(const ReportedHead&)> cell{};
  std::function<std::optional<QueryFigure>(const AttendedQuery&)> of_query{};
  // JSON also has an even spread's mean, at "even_" + key. A share is absent if that mean is 0.
  bool even = false;
  std::string sweep{};  // name in sweeps of the mean over the heads of a kind, or over their pairs
  bool spread = false;  // sweeps also have the sample deviation
  std::string curve{};  // name of the curve over the steps in pages
  HeadTable table = HeadTable::weights;
  bool printed = true;  // false: the column is in pages only
};
using HeadFigureRows = std::vector<HeadFigureRow>;

// The rows of tapehead, in the order of JSON and tables.
const HeadFigureRows& head_figure_rows();

// Throws ConfigError, naming the figure, for two rows with the same name, a key with two dots, a
// column without `help`, a mean over queries without a key, a row with both `of_query` and `of`, or
// a row without `of_query`, `of` and `cell`.
void expect_figure_rows(const HeadFigureRows& rows);

Json value_of(const HeadFigureRow& row, const ReportedHead& head);

template <class Number>
Json or_null(const std::optional<Number>& figure) {
  return figure ? Json(*figure) : Json();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

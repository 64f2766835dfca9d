// One head in numbers: each matrix from the rows that reach an attention to the sum that leaves it.
#pragma once

#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// What a step of a walk is, whatever the attention.
struct WalkRow {
  std::string_view key;      // its name in files: "query"
  std::string_view name;     // its name in formulas: "Q"
  std::string_view rows;     // "query" or "key" if a row belongs to such a token
  std::string_view columns;  // "key" if a column belongs to a key
  std::string_view help;     // for a reader who does not know attention
};

struct WalkStep {
  const WalkRow& row;
  std::string formula;  // "X W_Q + b_Q"; empty for parameters and for rows from outside
  Tensor matrix;        // (rows, columns)
};

struct HeadWalk {
  HeadName head;
  std::vector<std::string> queries;  // tokens
  std::vector<std::string> keys;
  std::vector<WalkStep> steps;
};

// The steps of a head in a pass over one sequence, in order: only those that the attention has.
// Without biases there is no step `query_bias`. What the model itself computes (projections,
// weights, outputs, the sum) has the bits of its pass. Throws ConfigError for a missing head.
std::vector<WalkStep> walk_head(const Transformer& transformer, const ParameterStore& store,
                                const Batch& batch, const HeadName& name);

// {"head", "queries", "keys", "steps": [{"step", "name", "formula", "help", "rows", "columns",
// "shape", "values"}]}. `values` makes the values of a matrix; without it, there are none.
Json walk_json(const HeadWalk& walk, const std::function<Json(const Tensor&)>& values = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION

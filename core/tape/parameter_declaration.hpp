// The declaration of a parameter by its layer: how its numbers start, and its kind.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

struct Initializer {
  enum class Kind { constant, normal, uniform };
  Kind kind = Kind::constant;
  double value = 0;  // the constant, the standard deviation, or the largest magnitude
  // Rows (or columns) of a matrix that are this many apart start equal; 0: all are independent.
  Index row_period = 0;
  Index column_period = 0;

  static Initializer constant(double value) { return {.kind = Kind::constant, .value = value}; }
  static Initializer normal(double deviation) { return {.kind = Kind::normal, .value = deviation}; }
  static Initializer uniform(double magnitude) {
    return {.kind = Kind::uniform, .value = magnitude};
  }
};

// The role of a parameter in its layer, by which optimisers treat it.
enum class ParameterKind {
  matrix,     // the weight of one linear map from hidden rows to hidden rows
  output,     // the weight that maps hidden rows to logits
  embedding,  // a table whose rows are looked up: by token, position or distance
  gain,       // factors of columns, heads or scores
  bias,       // numbers that are added
  gate,       // numbers that open and close a head
  other       // other weights, such as a small matrix for each head
};

}  // namespace tapehead

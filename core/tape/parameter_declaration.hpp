// What the layer that declares a parameter says of it: how its numbers start, and what kind it is.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

struct Initializer {
  enum class Kind { constant, normal, uniform };
  Kind kind = Kind::constant;
  double value = 0;  // the constant, the standard deviation, or the largest magnitude
  // In a matrix, rows (or columns) that are this many apart start equal; 0: each starts on its own.
  Index row_period = 0;
  Index column_period = 0;

  static Initializer constant(double value) { return {.kind = Kind::constant, .value = value}; }
  static Initializer normal(double deviation) { return {.kind = Kind::normal, .value = deviation}; }
  static Initializer uniform(double magnitude) {
    return {.kind = Kind::uniform, .value = magnitude};
  }
};

// What a parameter is to its layer. Optimisers treat parameters by it.
enum class ParameterKind {
  matrix,     // the weight of one linear map from hidden rows to hidden rows
  output,     // the weight that makes logits of hidden rows
  embedding,  // a table whose rows are looked up: by token, position or distance
  gain,       // factors of columns, heads or scores
  bias,       // numbers that are added
  gate,       // what opens and closes a head
  other       // other weights, such as a small matrix for each head
};

}  // namespace tapehead

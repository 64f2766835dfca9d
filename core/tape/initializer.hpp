// Initialisers: how the numbers of a parameter start. A parameter is declared with one.
#pragma once

#include "core/types.hpp"

namespace tapehead {

struct Initializer {
  enum class Kind { constant, normal, uniform };
  Kind kind = Kind::constant;
  double value =
      0;  // the constant, the normal's standard deviation, or the uniform's largest magnitude
  // In a matrix, rows (or columns) that are this many apart start equal; 0: each starts on its own.
  Index row_period = 0;
  Index column_period = 0;

  static Initializer constant(double value) { return {.kind = Kind::constant, .value = value}; }
  static Initializer normal(double deviation) { return {.kind = Kind::normal, .value = deviation}; }
  static Initializer uniform(double magnitude) {
    return {.kind = Kind::uniform, .value = magnitude};
  }
};

}  // namespace tapehead

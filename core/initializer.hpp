// Initialisers: how the numbers of a parameter start, as a value that a parameter is declared with.
#pragma once

#include "core/types.hpp"

namespace tapehead {

struct Initializer {
  enum class Kind { constant, normal, uniform };
  Kind kind = Kind::constant;
  double value =
      0;  // the constant, the normal's standard deviation, or the uniform's largest magnitude

  static Initializer constant(double value) { return {Kind::constant, value}; }
  static Initializer normal(double deviation) { return {Kind::normal, deviation}; }
  static Initializer uniform(double magnitude) { return {Kind::uniform, magnitude}; }
};

}  // namespace tapehead

// The gradient check of one parameter of a model, along a direction and, if that is wrong, element
// by element; and the options of the check of all.
#pragma once

#include "core/gradcheck/diagnosis/verdict.hpp"
#include "core/gradcheck/gradcheck.hpp"
#include "core/gradcheck/model/parameter_slopes.hpp"
#include "core/tape/parameters.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Computes the loss of a model on the given tape. The gradients of the parameters go to
// `gradients`, as with Pass. Random draws must be the same in every call. Dropout may be on, since
// its draws are addressed.
using ModelLoss = std::function<Var(Tape& tape, ParameterGradients& gradients)>;

struct ModelGradcheckOptions {
  double tolerance = 1e-6;  // of the slope along a direction, relative to its size
  std::uint64_t seed = 1;   // of the directions
  Index elements = 64;      // the most to check in a parameter whose direction is wrong
  std::function<bool(std::string_view name)> wanted{};  // parameters to check; null: all
  std::function<void(Index done, Index all)> progress{};
};

struct ParameterCheck {
  std::string name;
  Shape shape;
  double error = 0;  // |backward - differences| along a direction, relative to its size
  // The rounding of the loss hides slopes as small as this parameter's: what is checked is only
  // that the gradient is as small.
  bool too_small = false;
  bool hidden = false;  // too small, and yet more than rounding of the gradient
  Finding finding;      // has verdict `correct` if nothing is wrong
};

struct ParameterSubject {
  const ModelGradcheckOptions& options;
  std::string name;
  ParameterSlopes slopes;
  Tensor gradient;
  bool written;          // whether any gradient arrived
  std::uint64_t number;  // selects the directions
  // The gradients after changes in the last bits of all parameters.
  std::function<std::vector<Tensor>()> nearby;
};

ParameterCheck check_parameter(const ParameterSubject& subject);

}}  // namespace tapehead::TAPEHEAD_PRECISION

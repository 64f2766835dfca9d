// The gradient check of a whole model: does the gradient of every parameter predict how the loss
// changes? Checks each parameter along a direction and, if that is wrong, element by element.
#pragma once

#include "core/gradcheck/diagnosis/verdict.hpp"
#include "core/gradcheck/gradcheck.hpp"
#include "core/tape/parameters.hpp"
#include "core/tape/tape.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Computes the loss of a model on the given tape. The gradients of the parameters go to
// `gradients`, as with Pass. Every call must draw the same random numbers. Dropout may be on,
// because its draws are addressed.
using ModelLoss = std::function<Var(Tape& tape, ParameterGradients& gradients)>;

// Returns the loss of a model, which may be computed in several shards. Adds the gradients unless
// `gradients` is null.
using LossAndGradients = std::function<double(ParameterGradients* gradients)>;

struct ModelGradcheckOptions {
  double tolerance = 1e-6;  // of the slope along a direction, relative to its size
  std::uint64_t seed = 1;   // of the directions
  Index elements = 64;      // at most this many in a parameter whose direction is wrong
  std::function<bool(std::string_view name)> wanted{};  // parameters to check; null: all
  std::function<void(Index done, Index all)> progress{};
};

struct ParameterCheck {
  std::string name;
  Shape shape;
  double error = 0;  // |backward - differences| along a direction, relative to its size
  // The loss's rounding hides slopes as small as this parameter's. The check then only says that
  // the gradient is as small.
  bool too_small = false;
  bool hidden = false;  // too small for the check, but larger than the gradient's rounding
  Finding finding;      // has verdict `correct` if nothing is wrong
};

struct ModelGradcheckReport {
  bool ok() const;
  std::string message() const;  // all findings; empty if ok

  std::vector<Finding> findings;  // about the model as a whole
  std::vector<ParameterCheck> parameters;
};

// For each parameter by name, compares the gradient with the slope of the loss along a random
// direction, from two forward passes. If they differ, more steps tell a mistake from a kink or
// rounding, and single elements show what the mistake is. Restores the values of the parameters,
// also when it throws. Throws ShapeError if the loss is not a single number.
ModelGradcheckReport gradcheck_model(ParameterStore& store, const ModelLoss& loss,
                                     const ModelGradcheckOptions& options = {});
ModelGradcheckReport gradcheck_model(ParameterStore& store, const LossAndGradients& loss,
                                     const ModelGradcheckOptions& options = {});

// Restores values in its destructor.
struct Restored : NotCopied {
  explicit Restored(Tensor of) : values(std::move(of)), before(values.copy()) {}
  ~Restored() { std::ranges::copy(before.values(), values.data()); }

  Tensor values;
  const Tensor before;
};

struct ParameterSubject {
  const ModelGradcheckOptions& options;
  std::string name;
  const LossAndGradients& loss;
  double centre;  // the loss at the unchanged parameters
  Tensor parameter;
  Tensor gradient;
  bool written;          // whether any gradient arrived
  std::uint64_t number;  // selects the directions
  // The gradients after changes in the last bits of all parameters.
  std::function<std::vector<Tensor>()> nearby;
};

ParameterCheck check_parameter(const ParameterSubject& subject);

}}  // namespace tapehead::TAPEHEAD_PRECISION

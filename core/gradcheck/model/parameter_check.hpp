// The gradient check of one parameter of a model: along a direction and, where that is wrong,
// element by element.
#pragma once

#include "core/gradcheck/diagnosis/comparison.hpp"
#include "core/gradcheck/diagnosis/grid.hpp"
#include "core/gradcheck/model/options.hpp"
#include "core/gradcheck/model/parameter_slopes.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

// The gradient beside the loss, along one direction in one parameter.
struct DirectionCheck {
  double along;  // the gradient's slope
  Slope slope;   // the loss'
  double size;   // of such slopes

  double error() const;   // what the two are apart, as a share of their size
  bool doubtful() const;  // whether the differences are too uncertain to tell
};

class ParameterChecker {
 public:
  // `gradient` is the parameter's, `written` whether any arrived, `number` chooses the directions.
  ParameterChecker(ParameterStore& store, const LossAndGradients& loss, double centre,
                   const ModelGradcheckOptions& options, const NamedParameter& parameter,
                   Tensor gradient, bool written, std::uint64_t number)
      : slopes_(store, loss, centre),
        options_(options),
        parameter_(parameter),
        gradient_(std::move(gradient)),
        written_(written),
        number_(number) {}

  ParameterCheck check();

 private:
  DirectionCheck check_direction(std::uint64_t seed);
  DirectionCheck settled_direction();
  Finding explain(const DirectionCheck& direction);
  Comparison compare_elements(const Grid& grid, double size);

  ParameterSlopes slopes_;
  const ModelGradcheckOptions& options_;
  const NamedParameter& parameter_;
  Tensor gradient_;
  bool written_;
  std::uint64_t number_;
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION

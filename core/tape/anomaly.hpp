// Anomalies: the first number of a pass that is not finite, and all that tells where it came from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/memory/pool.hpp"
#include "core/shape.hpp"
#include "core/tape/module.hpp"

namespace tapehead {

// The finite numbers of a tensor, and how many others there are.
struct Range {
  std::string what;  // "input 0", "gradient of the output"
  Shape shape;
  double least = 0;
  double most = 0;
  Index not_finite = 0;
};

struct Anomaly {
  std::string op;
  Place place;               // of what is bad, as far as it can be told
  bool in_gradient = false;  // in the gradient of an input, and not in the op's value
  Index input = -1;          // of which input
  std::string made_by;       // that input: "linear in decoder.layers.1.cross.query, head 2"
  Shape shape;               // of what is bad
  Index element = 0;         // the first bad one
  double number = 0;
  Index count = 0;  // of bad ones
  std::vector<Range> ranges{};
  std::vector<Index> examples{};  // of the batch, by their numbers in the training split
};

// A few lines for a person.
std::string describe(const Anomaly& anomaly);

struct AnomalyError : NumericError {
  explicit AnomalyError(Anomaly what) : NumericError(describe(what)), anomaly(std::move(what)) {}
  Anomaly anomaly;
};

// As long as it lives, every tape looks at every value and every gradient, and throws AnomalyError
// at the first that is not finite. For all threads; not to be made while others run.
class AnomalyGuard {
 public:
  AnomalyGuard() = default;
  AnomalyGuard(const AnomalyGuard&) = delete;
  AnomalyGuard& operator=(const AnomalyGuard&) = delete;
  ~AnomalyGuard() { checks().finite = before_; }

 private:
  bool before_ = std::exchange(checks().finite, true);
};

}  // namespace tapehead

// Anomalies: the first number of a pass that is not finite, and what is known about its origin.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/memory/pool.hpp"
#include "core/shape.hpp"
#include "core/tape/module.hpp"

namespace tapehead {

// The range of a tensor's finite numbers, and how many others it has.
struct Range {
  std::string what;  // "input 0", "gradient of the output"
  Shape shape;
  double least = 0;
  double most = 0;
  Index not_finite = 0;
};

struct Anomaly {
  std::string op;
  Place place;               // of the bad number, as far as it is known
  bool in_gradient = false;  // in the gradient of an input, not in the op's value
  Index input = -1;          // of which input
  std::string made_by;       // that input: "linear in decoder.layers.1.cross.query, head 2"
  Shape shape;               // of what is bad
  Index element = 0;         // the first bad one
  double number = 0;
  Index count = 0;  // of bad ones
  std::vector<Range> ranges{};
  std::vector<Index> examples{};  // of the batch, by their numbers in the training split
};

// The anomaly as a few lines of text.
std::string describe(const Anomaly& anomaly);

struct AnomalyError : NumericError {
  explicit AnomalyError(Anomaly what) : NumericError(describe(what)), anomaly(std::move(what)) {}
  Anomaly anomaly;
};

// While it exists, every tape checks every value and every gradient, and throws AnomalyError at the
// first one that is not finite. It works for all threads. Do not create it while other threads run.
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

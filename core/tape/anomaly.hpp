// Anomalies: the first number of a pass that is not finite, and what is known about its origin.
#pragma once

#include "core/memory/pool.hpp"
#include "core/shape.hpp"

namespace tapehead {

// A place in a model where an op runs. The columns of its result are parts of equal width, side by
// side (such as query, key and value from one product). Each part has its heads side by side.
struct Module {
  std::vector<std::string> paths;  // of the parts: "decoder.layers.1.cross.query"
  Index heads = 0;                 // 0: the columns do not belong to heads

  const std::string& path() const { return paths.front(); }
};

struct Place {
  std::string path;
  Index head = -1;  // -1: no head

  std::string to_string() const;  // "decoder.layers.1.cross.query, head 2"
};

// Whether a path is `scope` or inside it: "a.b.c" is in "a.b". All paths are in the root, "".
bool lies_in(std::string_view path, std::string_view scope);

// The place of a column of a result, or of a row of a weight (out, in).
Place place_of(const Module& module, Index column, Index columns);

// The range of the finite numbers of a tensor, and the number of other numbers.
struct Range {
  std::string what;  // "input 0", "gradient of the output"
  Shape shape;
  double least = 0;
  double most = 0;
  Index not_finite = 0;
};

struct Anomaly {
  std::string op;
  Place place{};             // of the bad number, as far as it is known
  bool in_gradient = false;  // in the gradient of an input, not in the op's value
  Index input = -1;          // of which input
  std::string made_by{};     // what made it: "linear in decoder.layers.1.cross.query, head 2"
  Shape shape;               // of the bad tensor
  Index element = 0;         // of the first bad number
  double number = 0;
  Index count = 0;  // of bad numbers
  std::vector<Range> ranges{};
  std::vector<Index> examples{};  // of the batch, by their numbers in the training split
};

std::string describe(const Anomaly& anomaly);  // in a few lines

struct AnomalyError : NumericError {
  explicit AnomalyError(Anomaly what) : NumericError(describe(what)), anomaly(std::move(what)) {}
  Anomaly anomaly;
};

// While it exists, tapes of all threads throw AnomalyError at the first number that is not finite.
struct AnomalyGuard : ChecksGuard {
  AnomalyGuard() : ChecksGuard(Checks{.poison = checks().poison, .finite = true}) {}
};

}  // namespace tapehead

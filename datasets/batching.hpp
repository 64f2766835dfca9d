// How examples are grouped into batches.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

enum class BatchLengths { alike, mixed };
constexpr ValueNames<2> value_names(BatchLengths) { return {"alike", "mixed"}; }

struct Batching {
  // The largest number of tokens in a batch, on its longer side (sources with end marks, or targets
  // with end marks). A batch has at least one example.
  Index tokens = 0;
  BatchLengths lengths = BatchLengths::alike;
  // Of running text: rows that the model remembers of each lane; 0: windows are shuffled. A batch
  // has a window of each of its lanes, and a step so many batches, each with lanes of its own.
  Index memory = 0;
  Index batches_of_step = 1;

  bool operator==(const Batching&) const = default;
};

}  // namespace tapehead

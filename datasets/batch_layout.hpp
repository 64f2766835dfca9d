// Lays out examples as the rows of a batch.
#pragma once

#include <vector>

#include "core/sequence/batch.hpp"
#include "datasets/layout.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// The rows of an example: of its context and of its input.
struct ExampleRows {
  Index context = 0;
  Index input = 0;
};
ExampleRows example_rows(const Split& split, Index number, const Layout& layout);

// The rows that a memory has of the lane of a window, before it; 0 without lanes.
Index remembered_rows(const Split& split, Index number);

// The rows of its input that have a label, or would have one if the example has no target yet.
Index label_rows(const Split& split, Index number, const Layout& layout);

// The examples one after another, in the given order: pairs with marks added and targets shifted,
// texts with their class, or windows of a text. Where the source alone is read, each of its tokens
// has a token of the target as label, and a window's tokens are masked.
Batch make_batch(const Split& split, const std::vector<Index>& examples, const Layout& layout = {});

// Throws DataError, with the split and the example, if a layout does not fit the pairs.
void expect_fits(const Split& split, const Layout& layout);

// What a model reads of these pairs before it writes their targets.
Prompts make_prompts(const Split& split, const std::vector<Index>& examples, const Layout& layout);

}  // namespace tapehead

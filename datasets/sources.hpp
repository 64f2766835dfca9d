// Sources: the sequences of a split's examples. There is one for each kind of example.
#pragma once

#include <memory>
#include <vector>

#include "datasets/layout.hpp"
#include "datasets/sequence.hpp"
#include "datasets/task.hpp"

namespace tapehead {

// The source of a split, which must outlive it, for models that read it in this layout.
std::unique_ptr<const Source> source_of(const Split& split, const Layout& layout);

Batch make_batch(const Split& split, const std::vector<Index>& examples, const Layout& layout = {});

// What a model reads of these pairs before it writes their targets.
Prompts make_prompts(const Split& split, const std::vector<Index>& examples, const Layout& layout);

// Throws DataError, with the split and the example, if a layout does not fit the pairs.
void expect_fits(const Split& split, const Layout& layout);

}  // namespace tapehead

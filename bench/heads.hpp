// tapehead_bench heads: what attention costs over its heads, the model's width and the sequences'
// length, and what its options cost beside the plain one.
#pragma once

#include <CLI/CLI.hpp>

#include "core/types.hpp"

namespace tapehead {

void add_heads_bench(CLI::App& program);

// Each prints rows of its own. `quick` leaves out all but the smallest cases.
struct HeadsBenchOptions {
  Index threads = 1;   // of steps
  double seconds = 8;  // for the steps of one comparison
  bool quick = false;
  bool json = false;
};
void layer_over_heads(const HeadsBenchOptions& options);
void layer_over_width(const HeadsBenchOptions& options);
void layer_over_length(const HeadsBenchOptions& options);
void steps_over_options(const HeadsBenchOptions& options);
void steps_over_patterns(const HeadsBenchOptions& options);
void steps_without_heads(const HeadsBenchOptions& options);

}  // namespace tapehead

// Counts the arithmetic of a training step: additions and multiplications in matrix products.
#pragma once

#include "core/sequence/batch.hpp"
#include "core/sequence/pattern.hpp"
#include "datasets/layout.hpp"
#include "datasets/task.hpp"
#include "nn/attention/spec.hpp"

namespace tapehead {

// The numbers of query rows and of key rows of a sequence, and the positions of the first of them.
struct SequenceSize {
  Index queries;
  Index keys;
  Index query_position;
  Index key_position;
  Index prefix;

  auto operator<=>(const SequenceSize&) const = default;
};
using SequenceSizes = std::map<SequenceSize, double>;  // how many sequences there are of each size

// The work of a step: its rows (tokens), the sequences that they form, and its labels.
struct StepRows {
  double source = 0;
  double target = 0;
  SequenceSizes source_sizes{};  // source rows that attend to each other
  SequenceSizes target_sizes{};  // target rows that attend to each other and to the memory
  SequenceSizes cross_sizes{};   // target rows that attend to source rows
  double labels = 0;
  double past = 0;  // rows of the sequences that a memory has

  void add(const StepRows& other, double times = 1);
};
// `memory`: rows that the model remembers of each lane.
StepRows rows_of(const Batch& batch, Index memory = 0);
// The rows of a mean step, if an epoch has `steps` steps.
StepRows mean_rows(const Source& source, Index steps, Index memory = 0);

enum class CountedPairs {
  all,     // with any pattern, as in published figures of MFU
  allowed  // pairs that the pattern of a head allows
};

struct HeadPairs {
  double scores = 0;  // that the pattern allows by position
  double sums = 0;    // of these, pairs that each query keeps (Pattern::top)
};
HeadPairs allowed_pairs(const Pattern& pattern, const SequenceSize& size);

// The multiply-adds of attentions: O(n d²), O(n² d) and O(n d²) for n rows of width d.
struct AttentionParts {
  double projections = 0;  // of queries, keys and values, and maps of positions and scores
  double pairs = 0;        // scores and weighted sums of values, for the pairs that count
  double output = 0;       // the output projection

  double all() const { return projections + pairs + output; }
};

// The multiply-adds of one attention in a step: `passes` times a forward pass. `main_stack`:
// FamilyTraits::main.
AttentionParts attention_parts(const AttentionSpec& spec, StackName main_stack,
                               const StepRows& rows, CountedPairs counted, double passes = 1);

// Each use of a weight by a row counts 6: 2 forward, and twice that backward. Each pair of a query
// and a key counts 12 for each column of the heads: 2 in the scores and 2 in the sums forward, and
// twice that backward. Elementwise work does not count, nor does work that a kernel repeats.
double step_flops(const ModelOptions& model, Index target_vocabulary, const StepRows& rows,
                  CountedPairs counted);

}  // namespace tapehead

// How an example's two sides become rows of a batch.
#pragma once

namespace tapehead {

struct Layout {
  // Source, begin mark and target follow each other in one sequence, whose labels begin at the
  // mark. Otherwise the source, with its end mark, is a sequence of the context.
  bool one_sequence = false;
  bool full_prefix = false;  // in one sequence: the rows of the source see each other
};

}  // namespace tapehead

// The cost of an attention's maps in a forward pass, in multiply-adds for each row.
#pragma once

#include "nn/attention/spec.hpp"

namespace tapehead {

struct AttentionWork {
  double query_row = 0;   // for each row of queries: uses of a weight, but for the output's
  double output_row = 0;  // the same of the output projection
  double key_row = 0;     // for each row of keys and values
  double past_row = 0;    // self-attention: for each row that only has keys and values
};

AttentionWork attention_work(const AttentionSpec& spec);

}  // namespace tapehead

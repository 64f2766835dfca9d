// What a parameter is to its layer. The layer says it where it declares the parameter; optimisers
// treat parameters by it.
#pragma once

namespace tapehead {

enum class ParameterKind {
  matrix,     // the weight of one linear map from hidden rows to hidden rows
  output,     // the weight that makes logits of hidden rows
  embedding,  // a table whose rows are looked up: by token, position or distance
  gain,       // factors of columns, heads or scores
  bias,       // numbers that are added
  gate,       // what opens and closes a head
  other       // other weights, such as a small matrix for each head
};

}  // namespace tapehead

// A gate on each head of an attention, that training opens and closes (Voita et al. 2019, section
// 5.2).
#pragma once

#include <optional>
#include <string>

#include "nn/attention/head_copy.hpp"
#include "nn/attention/spec.hpp"
#include "nn/pass.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct L0Gates {
  L0Gates(const Scope& scope, const AttentionSpec& spec);

  // Each head times its gate, (N, H d_v) -> (N, H d_v): one draw for a whole step in training, the
  // settled gate otherwise. Without gates the heads as they are.
  Var operator()(Pass& pass, const Var& heads_side_by_side) const;

  // Copies what of it belongs to the heads that stay.
  void keep_heads(const KeptHeads& kept, const L0Gates& smaller, HeadCopy& copy) const;

  Index heads;
  Index d_v;
  std::string path;                    // whose draws they are
  std::optional<Parameter> log_alpha;  // (H); absent: no gates
};

}  // namespace tapehead::inline TAPEHEAD_PRECISION

// The mistakes of all ops, and the mutations that fit any op, in groups.
#pragma once

#include "tests/core/gradcheck/mutants/activation_mistakes.hpp"
#include "tests/core/gradcheck/mutants/attention_mistakes.hpp"
#include "tests/core/gradcheck/mutants/broken_contracts.hpp"
#include "tests/core/gradcheck/mutants/broken_edges.hpp"
#include "tests/core/gradcheck/mutants/corruptions.hpp"
#include "tests/core/gradcheck/mutants/dropout_mistakes.hpp"
#include "tests/core/gradcheck/mutants/gated_mistakes.hpp"
#include "tests/core/gradcheck/mutants/handing_in.hpp"
#include "tests/core/gradcheck/mutants/normalising_mistakes.hpp"
#include "tests/core/gradcheck/mutants/plain_mistakes.hpp"
#include "tests/core/gradcheck/mutants/token_mistakes.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> all;
  for (const auto& family : {product_mistakes(),    sum_and_product_mistakes(),
                             function_mistakes(),   reduce_mistakes(),
                             piece_mistakes(),      softmax_mistakes(),
                             layer_norm_mistakes(), rms_norm_mistakes(),
                             activation_mistakes(), gelu_mistakes(),
                             gated_mistakes(),      dropout_mistakes(),
                             residual_mistakes(),   lookup_mistakes(),
                             position_mistakes(),   loss_mistakes(),
                             weight_mistakes(),     layout_mistakes(),
                             pattern_mistakes(),    attention_dropout_mistakes()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

struct MutationGroup {
  std::string title;
  std::string about;
  bool each_input;  // planted once per input of an op, or once per op
  std::vector<Mutation> mutations;
};

inline std::vector<MutationGroup> mutation_groups() {
  return {{.title = "Wrong numbers",
           .about = "what arrives as the gradient of one input",
           .each_input = true,
           .mutations = corruptions()},
          {.title = "Badly handed in",
           .about = "how the right gradient of one input arrives, or does not",
           .each_input = true,
           .mutations = bad_hand_ins()},
          {.title = "Broken contracts",
           .about = "what an op does besides",
           .each_input = false,
           .mutations = broken_contracts()},
          {.title = "Wrong at the edge",
           .about = "right at the inputs that are given, but the first input's gradient is wrong "
                    "elsewhere",
           .each_input = false,
           .mutations = broken_edges()}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

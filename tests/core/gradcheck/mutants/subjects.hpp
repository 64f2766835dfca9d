// All ops as gradient check subjects.
#pragma once

#include "tests/core/gradcheck/mutants/head_subjects.hpp"
#include "tests/core/gradcheck/mutants/plain_subjects.hpp"
#include "tests/core/gradcheck/mutants/row_subjects.hpp"
#include "tests/core/gradcheck/mutants/sequence_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline std::vector<OpSubject> all_subjects() {
  std::vector<OpSubject> all;
  for (const auto& family :
       {product_subjects(), arithmetic_subjects(), reduce_subjects(), piece_subjects(),
        normalising_subjects(), activation_subjects(), gated_subjects(), dropout_subjects(),
        token_subjects(), attention_subjects(), further_attention_subjects(), head_subjects(),
        gate_subjects()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

// Proofs: tests over many random cases. `./dev test` runs a sample, `./dev prove` runs all cases.
#pragma once

#include "core/prelude.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace tapehead {

// The file for figures, set by `./dev prove`; otherwise null.
inline const char* proof_figures() {
  const char* file = std::getenv("TAPEHEAD_PROVE");
  return file != nullptr && *file != '\0' ? file : nullptr;
}

// The number of cases: `whole` in `./dev prove`, else `sample`.
inline Index proof_cases(Index sample, Index whole) {
  return proof_figures() != nullptr ? whole : sample;
}

// Adds a line to the summary of `./dev prove`: what was proved, with its numbers. Each proof has a
// test suite named Prove..., such as ProveTokenizers, and calls tell_figures once, at its end. A
// line begins with the name of the test, which `./dev prove` then does not run again.
inline void tell_figures(const std::string& line) {
  if (proof_figures() == nullptr) {
    fmt::print("{}\n", line);
    return;
  }
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  if (test.result()->Failed()) {
    return;
  }
  std::ofstream file(proof_figures(), std::ios::app);
  if (!(file << test.test_suite_name() << '.' << test.name() << '\t' << line << '\n').flush()) {
    throw std::runtime_error(fmt::format("cannot write to {}", proof_figures()));
  }
}

}  // namespace tapehead

// Proofs: tests over many random cases, of which `./dev test` runs a sample and `./dev prove` all.
#pragma once

#include "core/prelude.hpp"

#include <fstream>

namespace tapehead {

// `./dev prove` names the file for its figures here; elsewhere there is none, or an empty one.
inline const char* proof_figures() {
  const char* file = std::getenv("TAPEHEAD_PROVE");
  return file != nullptr && *file != '\0' ? file : nullptr;
}

// How many cases to run: the whole proof's, or those of its sample.
inline Index proof_cases(Index sample, Index whole) {
  return proof_figures() != nullptr ? whole : sample;
}

// A line for the end of `./dev prove`: what was proved, with its numbers. A test that is a proof
// has a suite with the name Prove and the proof's, as ProveTokenizers, and tells its figures once.
inline void tell_figures(const std::string& line) {
  if (proof_figures() == nullptr) {
    fmt::print("{}\n", line);
    return;
  }
  std::ofstream file(proof_figures(), std::ios::app);
  if (!(file << line << '\n').flush()) {
    throw std::runtime_error(fmt::format("cannot write to {}", proof_figures()));
  }
}

}  // namespace tapehead

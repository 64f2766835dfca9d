// Scores of a run of a sweep, made by hand.
#pragma once

#include "lab/run_scores.hpp"

namespace tapehead {

// A test of 200 examples; the first `right` are right.
inline RunScores swept_scores(Index right, double multiply_adds = 10, double seconds = 1,
                              Index parameters = 100) {
  RunScores run{.split = "test",
                .checkpoint = "best.safetensors",
                .parameters = parameters,
                .multiply_adds_per_token = multiply_adds,
                .steps = 10,
                .tokens = 5000,
                .seconds = seconds,
                .examples = {}};
  for (Index i = 0; i < 200; ++i) {
    const std::string reference = std::to_string(i);
    run.examples.push_back({.negative_log_likelihood = 0.5,
                            .tokens = 2,
                            .correct = 1,
                            .output = i < right ? reference : "no",
                            .reference = reference,
                            .right = i < right});
  }
  return run;
}

}  // namespace tapehead

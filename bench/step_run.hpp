// The measurement of one model's training steps.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/step_subject.hpp"
#include "core/ranks/ranks.hpp"
#include "core/types.hpp"

namespace tapehead {

// Runs steps for about so many seconds after the first, in five rounds with sgemm before and after
// each, then some more that are looked at closely. The row: size, threads, shards; medians over all
// steps: ms, tokens_per_second, gflops; best_ms, steps; medians over the rounds: sgemm_gflops (of
// one core, the better of before and after), mfu (of the round's median step); peak_memory_mb,
// allocations_per_step, share.
nlohmann::ordered_json measure_steps(const StepSubject& subject, Index threads, double seconds);

// Exactly so many steps after a first one, by all ranks together: size, ranks, threads (of each),
// steps, seconds, tokens_per_second, bytes_sent (by this rank at each step), peak_memory_mb (of
// this rank) and weights: a hash of their bits at the end.
nlohmann::ordered_json run_steps(const StepSubject& subject, Index threads, Index steps,
                                 Ranks& ranks = alone());

// Steps of all subjects in turns, so that what slows the machine slows all: of each the median
// time, and that of a multiply-add over the first one's.
std::vector<nlohmann::ordered_json> compare_steps(const std::vector<StepSubject>& subjects,
                                                  Index threads, double seconds);

}  // namespace tapehead

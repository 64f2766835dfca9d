#include "nn/generation/beam.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Better ones first; equal ones in the order of parent and token, so that the result does not
// depend on the sorting algorithm.
bool better(const Continuation& a, const Continuation& b) {
  if (a.log_probability != b.log_probability) {
    return a.log_probability > b.log_probability;
  }
  return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
}

}  // namespace

Beam::Beam(const DecodingOptions& options, Index max_length)
    : options_(options),
      max_length_(max_length),
      open_{{.tokens = {}, .log_probability = 0, .slot = 0}},
      slots_(static_cast<std::size_t>(options.beam)) {
  std::iota(slots_.begin(), slots_.end(), Index{0});
}

// The `beam` best of all are among the `beam` best of each.
std::vector<Continuation> Beam::continuations(const BestTokens& next, Index first_row) const {
  const bool scored = !next.log_sums.empty();
  std::vector<Continuation> all;
  for (std::size_t parent = 0; parent < open_.size(); ++parent) {
    const Index row = first_row + static_cast<Index>(parent);
    const double log_sum = scored ? next.log_sums[static_cast<std::size_t>(row)] : 0;
    Index taken = 0;
    for (const auto& [token, logit] : next.of(row)) {
      if (std::ranges::find(options_.never, token) != options_.never.end()) {
        continue;
      }
      if (taken++ == options_.beam) {
        break;
      }
      const double gain = scored ? static_cast<double>(logit) - log_sum : 0;
      all.push_back({.parent = static_cast<Index>(parent),
                     .token = token,
                     .log_probability = open_[parent].log_probability + gain});
    }
  }
  const auto kept = std::min(all.size(), static_cast<std::size_t>(options_.beam));
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(kept), better);
  all.resize(kept);
  return all;
}

std::vector<Beam::SlotCopy> Beam::advance(const std::vector<Continuation>& best) {
  const std::vector<Open> parents = std::move(open_);
  open_.clear();
  std::vector<SlotCopy> copies;
  std::vector<bool> parent_slot_taken(parents.size(), false);
  std::vector<std::size_t> waiting;  // open hypotheses that need a new slot
  for (const Continuation& next : best) {
    const Open& parent = parents[static_cast<std::size_t>(next.parent)];
    const Index length = static_cast<Index>(parent.tokens.size()) + 1;
    if (next.token == options_.end) {
      finish(parent, next.log_probability, length, true);
      continue;
    }
    open_.push_back(
        {.tokens = parent.tokens, .log_probability = next.log_probability, .slot = parent.slot});
    open_.back().tokens.push_back(next.token);
    if (parent_slot_taken[static_cast<std::size_t>(next.parent)]) {
      waiting.push_back(open_.size() - 1);
    }
    parent_slot_taken[static_cast<std::size_t>(next.parent)] = true;
  }
  std::vector<Index> free = slots_;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (std::ranges::find(waiting, i) == waiting.end()) {
      std::erase(free, open_[i].slot);
    }
  }
  for (const std::size_t i : waiting) {
    copies.push_back({.from = open_[i].slot, .to = free.back()});
    open_[i].slot = free.back();
    free.pop_back();
  }
  close_if_settled();
  return copies;
}

double Beam::score(double log_probability, Index length) const {
  return log_probability /
         std::pow(static_cast<double>(std::max<Index>(length, 1)), options_.length_penalty);
}

void Beam::finish(const Open& parent, double log_probability, Index length, bool ended) {
  finished_.push_back({.tokens = parent.tokens,
                       .log_probability = log_probability,
                       .score = score(log_probability, length),
                       .ended = ended});
  std::ranges::stable_sort(finished_, std::greater<>(), &Hypothesis::score);
}

// The search is done when as many have finished as the beam is wide, or at the maximum length.
// Then, if fewer have finished than are wanted, the open ones count as they are.
void Beam::close_if_settled() {
  const Index finished = std::ssize(finished_);
  const bool full = finished >= options_.beam;
  if (open_.empty() || (!full && std::ssize(open_.front().tokens) < max_length_)) {
    return;
  }
  if (!full && finished < options_.best) {
    for (const Open& cut : open_) {
      finish(cut, cut.log_probability, std::ssize(cut.tokens), false);
    }
  }
  open_.clear();
}

std::vector<Hypothesis> Beam::results() const {
  std::vector<Hypothesis> best = finished_;
  best.resize(std::min(best.size(), static_cast<std::size_t>(options_.best)));
  return best;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

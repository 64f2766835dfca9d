#include "core/ranks/common_errors.hpp"

#include <vector>

#include "core/ranks/sharing.hpp"

namespace tapehead {

namespace {

struct Outcome {
  bool failed;
  Index place;
};

}  // namespace

void throw_first(Ranks& ranks, const std::optional<std::string>& mine, Index place) {
  const std::vector<Outcome> outcomes =
      share_values(ranks, Outcome{.failed = mine.has_value(), .place = place});
  std::optional<std::size_t> first;
  for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
    if (outcomes[rank].failed && (!first || outcomes[rank].place < outcomes[*first].place)) {
      first = rank;
    }
  }
  if (first) {
    throw NumericError(share_texts(ranks, mine.value_or(""))[*first]);
  }
}

}  // namespace tapehead

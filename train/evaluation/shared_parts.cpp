#include "train/evaluation/shared_parts.hpp"

#include <algorithm>
#include <numeric>

#include "core/ranks/sharing.hpp"

namespace tapehead {

Index threads_of_all(const Workers& workers, Ranks& ranks) {
  const std::vector<Index> threads = share_values(ranks, workers.threads());
  return std::accumulate(threads.begin(), threads.end(), Index{0});
}

void throw_first_error(std::span<const std::exception_ptr> errors, Ranks& ranks) {
  const auto error =
      std::ranges::find_if(errors, [](const std::exception_ptr& one) { return one != nullptr; });
  throw_first(ranks, error == errors.end() ? nullptr : *error, error - errors.begin());
}

}  // namespace tapehead

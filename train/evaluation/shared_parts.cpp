#include "train/evaluation/shared_parts.hpp"

#include <algorithm>
#include <numeric>

namespace tapehead {

Index Team::threads() const {
  const std::vector<Index> threads = share_values(ranks_, workers_.threads());
  return std::accumulate(threads.begin(), threads.end(), Index{0});
}

void Team::throw_first_error(std::span<const std::exception_ptr> errors) const {
  const auto error =
      std::ranges::find_if(errors, [](const std::exception_ptr& one) { return one != nullptr; });
  throw_first(ranks_, error == errors.end() ? nullptr : *error, error - errors.begin());
}

}  // namespace tapehead

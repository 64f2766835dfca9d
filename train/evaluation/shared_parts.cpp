#include "train/evaluation/shared_parts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead {

namespace {

constexpr Index no_part = std::numeric_limits<Index>::max();

// What other ranks learn of an error.
struct PartFailure {
  Index part = no_part;
  bool numeric = false;
  std::string message;
};

template <class Bytes>
void serialize(Bytes& bytes, PartFailure& failure) {
  bytes(failure.part, failure.numeric, failure.message);
}

PartFailure failure_of(Index part, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const NumericError& numeric) {
    return {.part = part, .numeric = true, .message = numeric.what()};
  } catch (const std::exception& other) {
    return {.part = part, .message = other.what()};
  } catch (...) {
    return {.part = part, .message = "unknown error"};
  }
}

std::vector<PartFailure> failures_of_ranks(PartFailure own, Ranks& ranks) {
  ByteWriter writer;
  writer(own);
  std::vector<PartFailure> failures;
  for (const std::string& text : share_texts(ranks, writer.written())) {
    ByteReader reader(text);
    reader(failures.emplace_back());
  }
  return failures;
}

}  // namespace

Index threads_of_all(const Workers& workers, Ranks& ranks) {
  const std::vector<Index> threads = share_values(ranks, workers.threads());
  return std::accumulate(threads.begin(), threads.end(), Index{0});
}

void throw_first_error(std::span<const std::exception_ptr> errors, Ranks& ranks) {
  const auto error =
      std::ranges::find_if(errors, [](const std::exception_ptr& one) { return one != nullptr; });
  PartFailure own;
  if (error != errors.end()) {
    own = failure_of(error - errors.begin(), *error);
  }
  const std::vector<PartFailure> failures = failures_of_ranks(own, ranks);
  const auto first = std::ranges::min_element(failures, {}, &PartFailure::part);
  if (first->part == no_part) {
    return;
  }
  if (first->part == own.part) {
    std::rethrow_exception(*error);
  }
  if (first->numeric) {
    throw NumericError(first->message);
  }
  throw RankError(fmt::format("{}: {}", ranks.name(first - failures.begin()), first->message));
}

}  // namespace tapehead

#include "core/ranks/common_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/plain_message.hpp"
#include "core/ranks/sharing.hpp"

namespace tapehead {

namespace {

constexpr Index nowhere = std::numeric_limits<Index>::max();

struct Failure {
  Index place = nowhere;
  Index numeric = 0;  // whether it is a NumericError
};

// The message of an error; notes in `failure` whether it is a NumericError.
std::string message_of(const std::exception_ptr& error, Failure& failure) {
  try {
    std::rethrow_exception(error);
  } catch (const NumericError& numeric) {
    failure.numeric = 1;
    return numeric.what();
  } catch (const std::exception& other) {
    return plain_message(other);
  } catch (...) {
    return "unknown error";
  }
}

}  // namespace

void throw_first(Ranks& ranks, const std::exception_ptr& error, Index place) {
  if (ranks.count() == 1) {
    if (error) {
      std::rethrow_exception(error);
    }
    return;
  }
  Failure mine;
  std::string message;
  if (error) {
    mine.place = place;
    message = message_of(error, mine);
  }
  const std::vector<Failure> failures = share_values(ranks, mine);
  const auto first = std::ranges::min_element(failures, {}, &Failure::place);
  if (first->place == nowhere) {
    return;
  }
  const auto rank = static_cast<Index>(first - failures.begin());
  const std::string said = share_texts(ranks, message)[static_cast<std::size_t>(rank)];
  if (rank == ranks.rank()) {
    std::rethrow_exception(error);
  }
  if (first->numeric != 0) {
    throw NumericError(said);
  }
  throw RankError(fmt::format("{}: {}", ranks.name(rank), said));
}

}  // namespace tapehead

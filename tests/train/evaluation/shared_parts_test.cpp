// Parts that ranks (threads here) compute and share, and errors in parts.
#include "train/evaluation/shared_parts.hpp"

#include <mutex>

#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"

namespace tapehead { namespace {

// A result with members of every kind.
struct Result {
  Index part = -1;
  double half = 0;
  bool even = false;
  std::string text;
  std::vector<std::vector<Index>> lists;
  bool operator==(const Result&) const = default;
};

template <class Bytes>
void serialize(Bytes& bytes, Result& result) {
  bytes(result.part, result.half, result.even, result.text, result.lists);
}

Result result_of(Index part) {
  const auto k = static_cast<std::size_t>(part);
  return {.part = part,
          .half = static_cast<double>(part) / 2,
          .even = part % 2 == 0,
          .text = std::string(k, 'a'),
          .lists = {{}, std::vector<Index>(k, part), {part}}};
}

TEST(SharedPartsWorkers, every_rank_gets_what_each_computed_of_its_own) {
  for (const Index count : {1, 2, 3, 4}) {
    for (const Index parts : {0, 1, 3, 8}) {
      std::vector<Result> expected;
      std::set<std::pair<Index, Index>> owners;
      for (Index part = 0; part < parts; ++part) {
        expected.push_back(result_of(part));
        owners.insert({part, part % count});
      }
      std::mutex mutex;
      std::vector<std::pair<Index, Index>> computed;
      run_ranks(count, [&](Ranks& ranks) {
        Workers workers(2);
        const auto compute = [&](Index part) {
          const std::lock_guard lock(mutex);
          computed.emplace_back(part, ranks.rank());
          return result_of(part);
        };
        EXPECT_EQ(compute_parts<Result>(parts, compute, {workers, ranks}), expected);
      });
      EXPECT_THAT(computed, UnorderedElementsAreArray(owners));
    }
  }
  run_ranks(3, [](Ranks& ranks) {
    Workers workers(ranks.rank() + 1);
    EXPECT_EQ(threads_of({workers, ranks}), 6) << "the threads of all ranks";
  });
}

// The error that each rank's body threw.
template <class Error, class Compute>
std::vector<std::string> messages_of_ranks(Index count, const Compute& compute) {
  std::vector<std::string> messages(static_cast<std::size_t>(count));
  run_ranks(count, [&](Ranks& ranks) {
    Workers workers(2);
    messages[static_cast<std::size_t>(ranks.rank())] =
        message_of<Error>([&] { compute_parts<Index>(9, compute, {workers, ranks}); });
  });
  return messages;
}

TEST(SharedPartsWorkers, the_first_part_that_fails_gives_the_error_of_all_ranks) {
  const auto compute = [](Index part) {
    return part > 3 ? throw NumericError("part " + std::to_string(part)) : part;
  };
  EXPECT_THAT(messages_of_ranks<NumericError>(1, compute), ElementsAre("part 4"));
  EXPECT_THAT(messages_of_ranks<NumericError>(3, compute),
              ElementsAre("part 4", "part 4", "part 4"));
  // An error that is no result names its rank.
  const auto other = [](Index part) {
    return part == 4 ? throw std::out_of_range("no memory") : part;
  };
  EXPECT_THAT(messages_of_ranks<std::exception>(3, other),
              ElementsAre("rank 1: no memory", "no memory", "rank 1: no memory"));
}

TEST(PartBytes, too_few_bytes_are_refused) {
  ByteWriter writer;
  Result result = result_of(3);
  writer(result);
  Result read;
  ByteReader all(writer.written());
  all(read);
  EXPECT_EQ(read, result);
  ByteReader few(std::string_view(writer.written()).substr(0, writer.written().size() - 1));
  EXPECT_THROW(few(read), RankError);
}

}}  // namespace tapehead

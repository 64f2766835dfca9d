// If some ranks do not see a directory, every rank rejects it and names these ranks.
#include "lab/sweep/places.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

TEST(SharedDirectory, is_not_changed) {
  const TemporaryDirectory here;
  run_ranks(3, [&](Ranks& ranks) { SweepPlaces(ranks, 1).expect_shared(here.path()); });
  EXPECT_TRUE(fs::is_empty(here.path()));
}

TEST(SharedDirectory, that_ranks_do_not_see_is_refused_with_their_names) {
  const TemporaryDirectory here;
  const std::array<fs::path, 4> seen_by{here / "shared", here / "own", here / "shared",
                                        here / "missing"};
  fs::create_directory(seen_by[0]);
  fs::create_directory(seen_by[1]);
  std::array<std::string, 4> errors;
  run_ranks(4, [&](Ranks& ranks) {
    const auto mine = static_cast<std::size_t>(ranks.rank());
    try {
      SweepPlaces(ranks, 1).expect_shared(seen_by[mine]);
    } catch (const IoError& error) {
      errors[mine] = error.what();
    }
  });
  const std::string refusal =
      "a sweep needs a directory that all ranks share, but rank 1, rank 3 cannot see what rank 0 "
      "writes into " +
      seen_by[0].string() + "; choose a directory that all machines share with --run DIR";
  EXPECT_THAT(errors, Each(refusal));
  EXPECT_TRUE(fs::is_empty(seen_by[0]));
  EXPECT_TRUE(fs::is_empty(seen_by[1]));
  EXPECT_FALSE(fs::exists(seen_by[3]));
}

}}  // namespace tapehead

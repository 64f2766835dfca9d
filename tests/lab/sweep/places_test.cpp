// Child processes at the places of several ranks (threads here). If some ranks do not see a
// directory, every rank rejects it and names these ranks.
#include "lab/sweep/places.hpp"

#include <csignal>

#include "tests/support/program_runs.hpp"
#include "tests/support/thread_ranks.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ShellPlaces : public ProgramRuns {
 protected:
  // Runs `decide` on the first rank, then ends the rounds. Rank r starts programs[r] as children.
  static void run(const std::vector<std::string>& programs, Index each,
                  const std::function<void(SweepPlaces&)>& decide) {
    run_ranks(std::ssize(programs), [&](Ranks& ranks) {
      SweepPlaces places(ranks, each, programs[static_cast<std::size_t>(ranks.rank())]);
      if (ranks.first()) {
        decide(places);
        places.close();
      } else {
        while (places.round(0)) {
        }
      }
    });
  }
  static void run(std::size_t count, Index each, const std::function<void(SweepPlaces&)>& decide) {
    run(std::vector<std::string>(count, "/bin/sh"), each, decide);
  }
  ChildCommand script(const std::string& text) const { return {here / "log", {"-c", text}}; }

  // Runs rounds until all places are free; returns exit codes by place.
  static std::map<Index, int> wait_for_all(SweepPlaces& places) {
    std::map<Index, int> codes;
    EXPECT_TRUE(wait_until([&] {
      places.round(0);
      bool busy = false;
      for (Index place = 0; place < places.count(); ++place) {
        if (const auto code = places.take_exit_code(place)) {
          codes[place] = *code;
        }
        busy = busy || !places.is_free(place);
      }
      return !busy;
    }));
    return codes;
  }
};

TEST_F(ShellPlaces, are_spread_over_the_ranks_and_give_exit_codes_and_signals) {
  run(3, 1, [&](SweepPlaces& places) {
    places.start(0, script("exit 4"));
    places.start(2, script("exit 6"));
    EXPECT_FALSE(places.is_free(2));
    EXPECT_TRUE(places.is_free(1));
    EXPECT_THAT(wait_for_all(places), ElementsAre(Pair(0, 4), Pair(2, 6)));
    EXPECT_THAT(wait_for_all(places), IsEmpty());
    places.start(2, {here / "log", {"-c", "printf %s \"$0$1\"", "\xff\n", ""}});
    EXPECT_THAT(wait_for_all(places), ElementsAre(Pair(2, 0)));
  });
  EXPECT_EQ(content_of(here / "log"), "\xff\n") << "arguments that are no text";
  SweepPlaces own(alone(), 2, "/bin/sh");
  own.start(1, script("exit 3"));
  EXPECT_THAT(wait_for_all(own), ElementsAre(Pair(1, 3))) << "of a process alone";
  run({"/bin/sh", here / "missing", "/bin/sh"}, 2, [&](SweepPlaces& places) {
    ASSERT_EQ(places.count(), 6);
    for (Index place = 0; place < 6; ++place) {
      EXPECT_EQ(places.rank_of(place), place % 3);
      places.start(place, script("exit 3"));
    }
    for (const auto& [place, code] : wait_for_all(places)) {
      EXPECT_EQ(code, places.rank_of(place) == 1 ? 127 : 3) << place;
    }
  });
  run(2, 2, [&](SweepPlaces& places) {
    for (Index place = 0; place < 3; ++place) {
      places.start(place, script("exec sleep 20"));
    }
    places.round(0);
    places.send_to_all(SIGTERM);
    const int code = 128 + SIGTERM;
    EXPECT_THAT(wait_for_all(places), ElementsAre(Pair(0, code), Pair(1, code), Pair(2, code)));
  });
}

TEST(SweepPlaces, tell_every_rank_the_signal_of_one) {
  run_ranks(3, [](Ranks& ranks) {
    SweepPlaces places(ranks, 1);
    places.round(0);
    EXPECT_EQ(places.signal(), 0);
    places.round(ranks.rank() == 1 ? SIGINT : 0);
    places.round(ranks.rank() == 2 ? SIGTERM : 0);
    EXPECT_EQ(places.signal(), SIGINT);
  });
}

TEST(SharedDirectory, that_ranks_do_not_see_is_refused_with_their_names) {
  const TemporaryDirectory here;
  const std::array<fs::path, 4> seen_by{here / "shared", here / "own", here / "shared",
                                        here / "missing"};
  fs::create_directory(seen_by[0]);
  fs::create_directory(seen_by[1]);
  run_ranks(3, [&](Ranks& ranks) { SweepPlaces(ranks, 1).expect_shared(seen_by[0]); });
  EXPECT_TRUE(fs::is_empty(seen_by[0])) << "a shared directory is not changed";
  std::array<std::string, 4> errors;
  run_ranks(4, [&](Ranks& ranks) {
    const auto mine = static_cast<std::size_t>(ranks.rank());
    try {
      SweepPlaces(ranks, 1).expect_shared(seen_by[mine]);
    } catch (const IoError& error) {
      errors[mine] = error.what();
    }
  });
  EXPECT_THAT(errors, Each(AllOf(HasSubstr("rank 1, rank 3 cannot see what rank 0 writes into " +
                                           seen_by[0].string()),
                                 HasSubstr("--run DIR"))));
  EXPECT_TRUE(fs::is_empty(seen_by[0]));
  EXPECT_TRUE(fs::is_empty(seen_by[1]));
  EXPECT_FALSE(fs::exists(seen_by[3]));
}

}}  // namespace tapehead

// What a sweep shows while it goes: on a terminal a table of its runs that is rewritten in place,
// else a plain line every few seconds.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "lab/sweep/runner.hpp"

namespace tapehead {

// A line of each run, those that run before those that wait and those that are finished; no more
// than so many lines, of which the last then tells how many runs there are beside them.
std::string runs_table(SweepRunner& runner, const SweepPlan& plan, Index lines);

// "3 of 12 runs finished; model.heads=2,seed=1 step 120/600, loss 0.1234; ..."
std::string runs_line(SweepRunner& runner, const SweepPlan& plan);

class SweepDisplay {
 public:
  SweepDisplay(SweepRunner& runner, const SweepPlan& plan);
  SweepDisplay(const SweepDisplay&) = delete;
  SweepDisplay& operator=(const SweepDisplay&) = delete;
  ~SweepDisplay();  // leaves no table

  void update();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(const std::string& table);
  void say_new_ends();

  SweepRunner& runner_;
  const SweepPlan& plan_;
  bool terminal_;
  Index drawn_ = 0;  // lines of the table that stands there
  Clock::time_point next_;
  std::vector<bool> told_;  // of which runs it has been said that they are over
};

}  // namespace tapehead

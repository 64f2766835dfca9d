// The display of a running sweep: on a terminal a table of its runs that is rewritten in place,
// otherwise a plain line every few seconds.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "lab/sweep/runner.hpp"

namespace tapehead {

// A table with a line for each run: first those that are running, then those that wait and those
// that are finished. It has at most `lines` lines; if there are more runs, the last line says how
// many.
std::string runs_table(SweepRunner& runner, const SweepPlan& plan, Index lines);

// "3 of 12 runs finished; model.heads=2,seed=1 step 120/600, loss 0.1234; ..."
std::string runs_line(SweepRunner& runner, const SweepPlan& plan);

class SweepDisplay {
 public:
  SweepDisplay(SweepRunner& runner, const SweepPlan& plan, const SweepPlaces& places);
  SweepDisplay(const SweepDisplay&) = delete;
  SweepDisplay& operator=(const SweepDisplay&) = delete;
  ~SweepDisplay();  // removes the table

  void update();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(const std::string& table);
  void say_new_ends();
  void say_new_tries();

  SweepRunner& runner_;
  const SweepPlan& plan_;
  const SweepPlaces& places_;
  bool terminal_;
  Index drawn_ = 0;  // lines of the table on the terminal
  Clock::time_point next_;
  std::vector<bool> told_;        // for which runs the end has been reported
  std::vector<bool> told_tries_;  // and that they are tried again elsewhere
};

}  // namespace tapehead

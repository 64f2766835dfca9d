#include "apps/sweep_rounds.hpp"

#include <chrono>
#include <thread>

#include "apps/sweep_display.hpp"
#include "train/output/signals.hpp"

namespace tapehead {

namespace {

// All pause for the same time, since a process that waits for another one takes time from the
// trainings beside it.
void pause(const SweepPlaces& places) {
  std::this_thread::sleep_for(std::chrono::milliseconds(places.ranks() > 1 ? 100 : 20));
}

}  // namespace

int run_sweep(SweepRunner& runner, SweepPlaces& places, const SweepPlan& plan) {
  const StopSignals signals;
  SweepDisplay display(runner, plan, places);
  bool stopped = false;
  while (runner.advance()) {
    display.update();
    if (places.signal() != 0 && !stopped) {
      stopped = true;
      runner.stop(places.signal());
    }
    places.round(signals.received());
    pause(places);
  }
  display.update();
  return places.signal() != 0 ? places.signal() : signals.received();
}

void serve_sweeps(SweepPlaces& places) {
  const StopSignals signals;
  while (places.round(signals.received())) {
    pause(places);
  }
}

}  // namespace tapehead

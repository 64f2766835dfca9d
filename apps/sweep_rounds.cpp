#include "apps/sweep_rounds.hpp"

#include <thread>

#include "apps/sweep_display.hpp"
#include "train/output/signals.hpp"

namespace tapehead {

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
    std::this_thread::sleep_for(places.pause());
  }
  display.update();
  return places.signal() != 0 ? places.signal() : signals.received();
}

void serve_sweeps(SweepPlaces& places) {
  const StopSignals signals;
  while (places.round(signals.received())) {
    std::this_thread::sleep_for(places.pause());
  }
}

}  // namespace tapehead

#include "apps/sweep_display.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <thread>

#include "core/files/input_output.hpp"
#include "core/files/process.hpp"
#include "core/text.hpp"
#include "lab/sweep/chapters.hpp"
#include "train/output/signals.hpp"
#include "train/output/text_table.hpp"

namespace tapehead {

namespace {

winsize terminal_size() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    size.ws_col = 80;
    size.ws_row = 24;
  }
  return size;
}

// A table with a line for each run, in the order of the plan. If this needs more than `lines`
// lines, shows the most interesting runs, and the number of further runs in the last line.
std::string runs_table(SweepRunner& runner, const SweepPlan& plan, Index lines) {
  constexpr Index head = 2;  // lines above the runs
  constexpr std::array by_interest{RunState::training, RunState::scoring, RunState::failed,
                                   RunState::waiting, RunState::finished};
  const auto all = static_cast<Index>(plan.runs.size());
  std::vector<std::size_t> shown = mapped(numbers_below(plan.runs.size()), std::identity());
  const bool fits = all + head <= lines;
  if (!fits) {
    std::ranges::stable_sort(shown, {}, [&](std::size_t i) {
      return std::ranges::find(by_interest, runner.runs()[i].state);
    });
    shown.resize(static_cast<std::size_t>(std::max<Index>(1, lines - head - 1)));
  }
  Table table({Align::left, Align::left, Align::left, Align::right, Align::right},
              {"run", "state", "", "loss", std::string(kind_of(plan.metric).name)});
  for (const std::size_t i : shown) {
    SweepRunner::Run& run = runner.runs()[i];
    const RunProgress& progress = run.watch.look();
    const bool begun = progress.step > 0;
    table.row({plan.runs[i].name, std::string(name_of(run.state)),
               begun ? progress_text(progress, plan.runs[i].config.training) : "",
               progress.loss ? fmt::format("{:.4f}", *progress.loss) : "",
               progress.metric ? metric_text(kind_of(plan.metric), *progress.metric) : ""});
  }
  std::string text = table.text();
  if (!fits) {
    text +=
        fmt::format("\n  and {} more; {} of {} finished", all - static_cast<Index>(shown.size()),
                    runner.count(RunState::finished), all);
  }
  return text;
}

// "3 of 12 runs finished; model.heads=2,seed=1 step 120/600, loss 0.1234; ..."
std::string runs_line(SweepRunner& runner, const SweepPlan& plan) {
  std::string text =
      fmt::format("{} of {} runs finished", runner.count(RunState::finished), plan.runs.size());
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    SweepRunner::Run& run = runner.runs()[i];
    if (run.state == RunState::scoring) {
      text += fmt::format("; {} testing", plan.runs[i].name);
    } else if (run.state == RunState::training) {
      const RunProgress& progress = run.watch.look();
      text += fmt::format("; {} {}", plan.runs[i].name,
                          progress_text(progress, plan.runs[i].config.training));
      text += progress.loss ? fmt::format(", loss {:.4f}", *progress.loss) : "";
    }
  }
  return text;
}

class SweepDisplay : NotCopied {
 public:
  SweepDisplay(SweepRunner& runner, const SweepPlan& plan, const SweepPlaces& places)
      : runner_(runner),
        plan_(plan),
        places_(places),
        told_(mapped(runner.runs(), &SweepRunner::Run::before)),
        told_tries_(told_.size()) {}
  ~SweepDisplay() { draw(""); }  // removes the table

  void update() {
    if (!terminal_) {
      say_news();
    }
    const auto now = Clock::now();
    if (now < next_) {
      return;
    }
    next_ = now + interval_;
    if (terminal_) {
      draw(runs_table(runner_, plan_, terminal_size().ws_row - 1));
    } else {
      write_message(fmt::format("{}\n", runs_line(runner_, plan_)));
    }
  }

 private:
  // Moves to the start of the table, erases everything below, and writes the new table.
  void draw(const std::string& table) {
    std::string text = drawn_ > 0 ? fmt::format("\x1b[{}A\r\x1b[J", drawn_) : "";
    drawn_ = 0;
    const Index width = terminal_size().ws_col - 1;
    for (std::string_view line : text_lines(table)) {
      while (text_width(line) > width) {
        line.remove_suffix(1);
      }
      text.append(line) += '\n';
      ++drawn_;
    }
    std::fputs(text.c_str(), stderr);
  }

  // First the second tries of all runs, then their ends.
  void say_news() {
    std::string ends;
    for (std::size_t i = 0; i < told_.size(); ++i) {
      const SweepRunner::Run& run = runner_.runs()[i];
      const std::string& name = plan_.runs[i].name;
      if (!told_tries_[i] && !run.failed_at.empty() && run.state != RunState::failed) {
        told_tries_[i] = true;
        write_message(fmt::format("{} failed{} (exit code {}); another rank tries it again\n", name,
                                  places_.where(run.failed_at), run.exit_code));
      }
      if (!told_[i] && (run.state == RunState::finished || run.state == RunState::failed)) {
        told_[i] = true;
        ends +=
            fmt::format("{} {}{}\n", name, name_of(run.state), places_.where({*run.last_place}));
      }
    }
    write_message(ends);
  }

  SweepRunner& runner_;
  const SweepPlan& plan_;
  const SweepPlaces& places_;
  const bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  const std::chrono::milliseconds interval_{terminal_ ? 500 : 5000};
  Index drawn_ = 0;  // lines of the table on the terminal
  Clock::time_point next_ = terminal_ ? Clock::now() : Clock::now() + interval_;
  std::vector<bool> told_;        // runs whose end has been reported
  std::vector<bool> told_tries_;  // runs whose second try has been reported
};

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

bool show_results(const SweepPlan& plan, const SweepResults& results, const fs::path& directory,
                  bool as_json) {
  try {
    if (as_json) {
      Json json = {{"sweep", directory.string()}};
      json.update(results_json(plan, results));
      write_output(fmt::format("{}\n", json.dump()));
    } else {
      write_output(fmt::format(
          "{}\n{}\nin {}: cells.csv, runs.csv, results.json, report.html, and the runs\n",
          results_table(plan, results), chapters_text(plan, results), directory.string()));
    }
    flush_output();
    return true;
  } catch (const IoError& error) {
    write_message(fmt::format("error: {}\n", error.what()));
    return false;
  }
}

void say_failures(SweepRunner& runner, const SweepPlaces& places) {
  for (const SweepRunner::Run& run : runner.runs()) {
    if (run.state == RunState::failed) {
      constexpr std::size_t most = 2000;  // bytes
      const std::string log = read_file(run.log);
      const std::size_t begin = log.size() > most ? log.find('\n', log.size() - most) + 1 : 0;
      const std::string last = log.substr(begin, log.find_last_not_of('\n') + 1 - begin);
      write_message(fmt::format("error: {} failed{} (exit code {}); {} ends with\n{}\n",
                                run.directory.string(), places.where(run.failed_at), run.exit_code,
                                run.log.string(), printable(last)));
    }
  }
}

}  // namespace tapehead

// Trains a config's model, measures it, asks it, and reads what its heads attend to.
// Usage: whole_run CONFIG RUN
#include <cstdio>
#include <tapehead/tapehead.hpp>

using namespace tapehead;

int main(int /*count*/, char** arguments) {
  const auto progress = [](const StepReport& report) {
    if (report.step % 100 == 0) {
      std::printf("step %td: loss %.3f\n", report.step, report.loss);
    }
  };
  train({.config = arguments[1], .run = arguments[2], .threads = 2, .progress = progress});

  const SavedRun run(arguments[2]);
  const Task task = run.task();
  Workers workers(2);
  for (const auto& [split, result] : evaluate(run, task, "test", run.config.evaluation, workers)) {
    std::printf("%s: loss %.4f, %.0f %% of the sequences right\n", split.c_str(), result.loss(),
                100 * result.value(Metric::sequence_accuracy));
  }

  const std::vector<std::string> lines{"3 1 4 1 5", "2 7"};
  const Predictor predictor(run, workers);
  for (const auto& translations : predictor.translate(predictor.read(lines))) {
    std::printf("-> %s\n", translations.front().text.c_str());
  }

  for (const auto& seen : recorded_attentions(run.model, pack(*task.split("test").source, {0}))) {
    const Tensor& weights = seen.weights;  // (queries, keys)
    const Scalar* first = weights.row(0);
    std::printf("%s.%td: the first query attends most to key %td of %td\n",
                seen.site.text().c_str(), seen.head,
                std::max_element(first, first + weights.dim(1)) - first, weights.dim(1));
  }
}

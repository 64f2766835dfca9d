// Tells of each head of a run how much of its weight lies two positions back, and its entropy in
// bits, beside all that tapehead tells: in a table, as JSON and on a page.
// Usage: own_figure RUN PAGE
#include <cmath>
#include <cstdio>
#include <fstream>
#include <tapehead/tapehead.hpp>

using namespace tapehead;

int main(int /*count*/, char** arguments) {
  std::vector<HeadFigureRow> figures = head_figure_rows();
  figures.push_back({.key = "weight_on.two_back",
                     .column = "two back",
                     .help = "percent on the key two positions before",
                     .format = as_percent,
                     .of_query =
                         [](const AttendedQuery& at) {
                           return at.weight_on([&](Index key) { return key == at.query - 2; });
                         },
                     .even = true,
                     .curve = "weight on two_back"});
  figures.push_back({.key = "entropy_bits",
                     .column = "bits",
                     .help = "the entropy of the weights, in bits",
                     .of = [](const ReportedHead& head) -> nlohmann::ordered_json {
                       const auto nats = head->figures.at("entropy").value;
                       return nats ? nlohmann::ordered_json(*nats / std::log(2)) : nullptr;
                     }});

  const SavedRun run(arguments[1]);
  const Task task = run.task();
  Workers workers(2);
  const auto heads =
      study_heads(run.model, run.config, task, *task.split("validation").source, workers, figures);
  std::printf("%s\n\n", heads_table(heads, HeadTable::weights, figures).c_str());
  std::printf("%s\n", heads_json(heads, figures).dump().c_str());
  std::ofstream(arguments[2]) << report_page(report_run({.run = arguments[1], .figures = figures}));
}

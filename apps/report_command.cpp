// tapehead report RUN|SWEEP: writes a page about a run or a sweep as one self-contained HTML file.

#include "apps/commands.hpp"
#include "lab/report/page.hpp"
#include "lab/report/run.hpp"
#include "lab/sweep/directory.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

struct ReportArguments {
  ReportRequest request;  // its `run` may be a sweep; its `sentences` are counted from 1
  fs::path output;
  bool json = false;
};

Json report_of_run(ReportRequest request) {
  const auto console = start_logging();
  prepare_blas(request.threads);
  request.progress = [&](const std::string& what) { console->live(what); };
  for (Index& number : request.sentences) {
    --number;
  }
  auto report = report_run(request);
  console->live("");
  return report;
}

void print(const ReportArguments& arguments, const fs::path& output, const Json& report) {
  if (arguments.json) {
    const Json json = {{"page", output.string()},
                       {"state", report["state"]["text"]},
                       {"notes", report.value("notes", Json::array())}};
    write_output(fmt::format("{}\n", json.dump()));
    return;
  }
  write_output(
      fmt::format("{}: {}\n", output.string(), report["state"]["text"].get<std::string>()));
  for (const auto& note : report["notes"]) {
    write_output(fmt::format("{}\n", note.get<std::string>()));
  }
}

void write_report(const ReportArguments& arguments, const CLI::App& command) {
  constexpr std::array for_runs{"--split",      "--sentences", "--text",
                                "--checkpoint", "--data",      "--other-data",
                                "--threads",    "--prune",     "--every-checkpoint"};
  const ReportRequest& request = arguments.request;
  const fs::path& directory = request.run;
  const bool sweep = is_sweep(directory);
  if (!sweep && !is_run(directory)) {
    throw IoError(
        "{} is neither a run nor a sweep: it has no config.yaml with "
        "checkpoints, and no sweep.json",
        directory.string());
  }
  if (sweep && std::ranges::any_of(for_runs, [&](auto* one) { return command.count(one) > 0; })) {
    throw ConfigError(
        "the report of a sweep takes only --output and --json; the other options are for the "
        "report of a run");
  }
  const fs::path output =
      arguments.output.empty() ? RunFiles{directory}.report() : arguments.output;
  const InputFiles inputs = sweep ? inputs_of_sweep(directory)
                                  : inputs_of_run(directory, request.checkpoint, request.data);
  inputs.expect_other(output);
  expect_output_apart(inputs);
  const auto report = sweep ? report_sweep(directory, output) : report_of_run(request);
  write_file_atomically(output, report_page(report));
  print(arguments, output, report);
  if (report.contains("fault")) {
    throw IoError("{} is without samples and heads: {}", output.string(),
                  report["fault"].get<std::string>());
  }
}

}  // namespace

const Command report_command(130, [](CLI::App& program) {
  const auto [command, arguments] = add_command<ReportArguments>(
      program, "report",
      "Write a page about a run, with its curves, samples and heads, or about a sweep",
      write_report);
  ReportRequest& request = arguments.request;
  request.threads = default_threads();
  command.add_option("directory", request.run, "Run or sweep")->required();
  command.add_option("--output", arguments.output,
                     "The page; by default report.html in that directory");
  command.add_option("--split", request.split, "Split of the sentences: train, validation or test")
      ->capture_default_str();
  add_numbers_option(
      command, named("--sentences", 1, 1e9), request.sentences,
      "Numbers of the sentences to show, counted from 1; by default the first eight");
  add_repeated_option(command, "--text", request.texts,
                      "A text on which the page also shows the heads' attention; may be repeated");
  add_study_options(command, request);
  command.add_flag("--prune", request.effort.prune,
                   "Measure the loss as all heads are removed one by one, even if that takes long");
  command.add_flag("--every-checkpoint", request.every_checkpoint,
                   "Also curves of the heads' figures and, for tasks that have it, the embedding's "
                   "spectrum, over the checkpoints that the run keeps (training.checkpoint_keep)");
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
});

}  // namespace tapehead

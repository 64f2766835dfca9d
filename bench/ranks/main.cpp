// tapehead_rank_steps: training steps of one rank among those that a launcher starts. Rank 0 prints
// what `tapehead_bench ranks` reads.
#include <CLI/CLI.hpp>
#include <exception>
#include <string>

#include "apps/launch.hpp"
#include "bench/step_run.hpp"
#include "core/files/standard_streams.hpp"
#include "core/product/blas_kernels.hpp"

namespace tapehead { namespace {

struct RankArguments {
  std::string subject;
  Index threads = 1;
  Index shards = 2;
  Index steps = 10;
};

RankEnd run(const RankArguments& arguments, Ranks& ranks) {
  try {
    prepare_blas();
    const StepSubject subject =
        subject_named(arguments.subject, {"training.shards=" + std::to_string(arguments.shards)});
    const auto row = run_steps(subject, arguments.threads, arguments.steps, ranks);
    if (ranks.first()) {
      write_output(row.dump() + '\n');
    }
    return {};
  } catch (const std::exception& error) {
    return {.exit_code = 1, .message = error.what()};
  }
}

}}  // namespace tapehead

int main(int argc, char** argv) {
  using namespace tapehead;
  CLI::App program("Training steps of one rank");
  RankArguments arguments;
  program.add_option("subject", arguments.subject)->required();
  program.add_option("--threads", arguments.threads);
  program.add_option("--shards", arguments.shards);
  program.add_option("--steps", arguments.steps);
  CLI11_PARSE(program, argc, argv);
  const std::unique_ptr<Launch> launch = join_launch();
  const int exit_code = launch->end(run(arguments, launch->ranks()));
  flush_output();
  return exit_code;
}

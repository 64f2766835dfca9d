// The benchmarks of tapehead, each a subcommand.

#include "bench/measure.hpp"

int main(int argc, char** argv) {
  CLI::App program("Measurements of tapehead");
  program.require_subcommand(1);
  program.option_defaults()->always_capture_default();
  for (const auto add :
       {tapehead::add_kernels_bench, tapehead::add_step_bench, tapehead::add_ranks_bench,
        tapehead::add_scaling_bench, tapehead::add_heads_bench, tapehead::add_multi30k_bench,
        tapehead::add_overhead_bench, tapehead::add_decode_bench, tapehead::add_generate_bench}) {
    add(program);
  }
  try {
    program.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}

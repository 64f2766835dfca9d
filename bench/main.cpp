// The measurements of tapehead, each a subcommand.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "bench/decode.hpp"
#include "bench/generate.hpp"
#include "bench/heads.hpp"
#include "bench/kernels.hpp"
#include "bench/multi30k.hpp"
#include "bench/overhead.hpp"
#include "bench/ranks.hpp"
#include "bench/scaling.hpp"
#include "bench/step.hpp"

int main(int argc, char** argv) {
  CLI::App program("Measurements of tapehead");
  program.require_subcommand(1);
  tapehead::add_kernels_bench(program);
  tapehead::add_step_bench(program);
  tapehead::add_ranks_bench(program);
  tapehead::add_scaling_bench(program);
  tapehead::add_heads_bench(program);
  tapehead::add_multi30k_bench(program);
  tapehead::add_overhead_bench(program);
  tapehead::add_decode_bench(program);
  tapehead::add_generate_bench(program);
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

#include "bench/kernels.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/kernel_cases.hpp"
#include "bench/machine_rates.hpp"
#include "bench/report.hpp"
#include "core/errors.hpp"
#include "core/product/blas_kernels.hpp"

namespace tapehead {

namespace {

struct KernelsArguments {
  std::vector<std::string> sizes{"A", "B", "C", "D"};
  std::string filter = ".";
  double seconds = 0.1;
  bool json = false;
};

// Google Benchmark's results as rows of ours, beside what the machine can do.
class Rows : public benchmark::BenchmarkReporter {
 public:
  explicit Rows(bool json)
      : sgemm_(sgemm_rate()),
        copy_(copy_rate()),
        report_({{.place = "/kernel", .title = "kernel", .width = 46},
                 {.place = "/pass", .title = "pass", .width = 8},
                 {.place = "/us", .title = "us", .decimals = 1, .width = 9},
                 {.place = "/gflops", .title = "GF/s", .decimals = 1},
                 {.place = "/gigabytes_per_second", .title = "GB/s", .decimals = 1},
                 {.place = "/share", .title = "% of best", .factor = 100}},
                json) {
    report_.row({{"kernel", "sgemm 1024 x 1024 x 1024, one core"},
                 {"pass", ""},
                 {"us", 2.0 * 1024 * 1024 * 1024 / sgemm_ / 1e3},
                 {"gflops", sgemm_}});
    report_.row({{"kernel", "copy of 64 MB, one core"},
                 {"pass", ""},
                 {"us", 2 * 64e6 / copy_ / 1e3},
                 {"gigabytes_per_second", copy_}});
  }

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const std::string name = run.run_name.function_name;
      const std::size_t cut = name.rfind('/');
      nlohmann::ordered_json row = {
          {"kernel", name.substr(0, cut)},
          {"pass", name.substr(cut + 1)},
          {"us", 1e6 * run.real_accumulated_time / static_cast<double>(run.iterations)}};
      const double flops = run.counters.at("flops").value / 1e9;
      const double bytes = run.counters.at("bytes").value / 1e9;
      if (flops > 0) {
        row["gflops"] = flops;
        row["share"] = flops / sgemm_;
      } else {
        row["gigabytes_per_second"] = bytes;
        row["share"] = bytes / copy_;
      }
      report_.row(row);
    }
  }

 private:
  double sgemm_;
  double copy_;
  Report report_;
};

void initialize(const KernelsArguments& arguments) {
  std::vector<std::string> words{"tapehead_bench", "--benchmark_filter=" + arguments.filter,
                                 fmt::format("--benchmark_min_time={}", arguments.seconds)};
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  auto count = static_cast<int>(words.size());
  benchmark::Initialize(&count, pointers.data());
}

void run(const KernelsArguments& arguments) {
  prepare_blas();
  initialize(arguments);
  for (const auto register_all :
       {&register_products, &register_attention, &register_row_ops, &register_optimizer}) {
    for (const std::string& name : arguments.sizes) {
      const auto* const size = std::ranges::find(step_sizes, name, &StepSize::name);
      if (size == step_sizes.end()) {
        throw ConfigError(fmt::format("no size {}: there are A, B, C, D", name));
      }
      register_all(*size);
    }
  }
  Rows rows(arguments.json);
  if (benchmark::RunSpecifiedBenchmarks(&rows) == 0) {
    throw ConfigError(
        fmt::format("no kernel has a name that matches --filter {}", arguments.filter));
  }
}

}  // namespace

void add_kernels_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "kernels",
      "Single kernels at the shapes of one shard, on one core, beside the core's sgemm rate and "
      "copy bandwidth");
  const auto arguments = std::make_shared<KernelsArguments>();
  command->add_option("sizes", arguments->sizes, "Sizes whose shapes are measured: A B C D")
      ->capture_default_str();
  command
      ->add_option("--filter", arguments->filter,
                   "A regular expression: kernels by name, size, shape and pass")
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "Least time for each row")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "One JSON object a line");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead

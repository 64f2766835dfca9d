#include "bench/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "core/errors.hpp"
#include "train/output/program_path.hpp"

namespace tapehead {

namespace {

struct RanksArguments {
  std::vector<std::string> subjects{"B", "C", "D"};
  std::vector<Index> counts{1, 2, 4};
  double seconds = 3;  // for the steps of one measurement
  Index rounds = 3;
  std::string launcher = "mpirun.openmpi --oversubscribe --bind-to none";
  bool json = false;
};

// What one measurement is of: a process with some threads, or as many ranks of one thread.
struct RanksCase {
  Index ranks;
  Index threads;
};

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  if (!pipe) {
    throw IoError("cannot start " + command);
  }
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    output.append(buffer.data(), count);
  }
  return output;
}

nlohmann::ordered_json measure(const RanksArguments& arguments, const std::string& subject,
                               const RanksCase& one, Index steps) {
  const auto program =
      std::filesystem::path(program_path()).replace_filename("tapehead_rank_steps").string();
  if (!std::filesystem::exists(program)) {
    throw ConfigError(fmt::format(
        "{} is not there: it is built where Open MPI is; run ./dev build mpi", program));
  }
  std::string command =
      fmt::format("{} {} --threads {} --shards {} --steps {}", shell_word(program),
                  shell_word(subject), one.threads, std::ranges::max(arguments.counts), steps);
  if (one.ranks > 1) {
    command = fmt::format("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 {} -n {} {}",
                          arguments.launcher, one.ranks, command);
  }
  const std::string output = output_of(command);
  try {
    return nlohmann::ordered_json::parse(output);
  } catch (const nlohmann::ordered_json::exception&) {
    throw IoError(fmt::format("{} printed no measurement, but '{}'", command, output));
  }
}

double middle_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

// Cases in turns, so that what slows the machine slows all of them.
void measure_subject(const RanksArguments& arguments, const std::string& subject, Report& rows) {
  std::vector<RanksCase> cases;
  for (const Index count : arguments.counts) {
    cases.push_back({.ranks = 1, .threads = count});
    if (count > 1) {
      cases.push_back({.ranks = count, .threads = 1});
    }
  }
  const double trial = measure(arguments, subject, cases.front(), 2).at("seconds");
  const auto steps = std::max<Index>(2, static_cast<Index>(2 * arguments.seconds / trial));
  std::vector<std::vector<double>> rates(cases.size());
  std::vector<nlohmann::ordered_json> last(cases.size());
  for (Index round = 0; round < arguments.rounds; ++round) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      last[i] = measure(arguments, subject, cases[i], steps);
      rates[i].push_back(last[i].at("tokens_per_second"));
    }
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (last[i].at("weights") != last.front().at("weights")) {
      throw NumericError("other weights than those of one process: " + last[i].dump());
    }
    last[i]["tokens_per_second"] = middle_of(rates[i]);
    if (cases[i].ranks > 1) {
      last[i]["over_threads"] = middle_of(rates[i]) / middle_of(rates[i - 1]);
    }
    rows.row(last[i]);
  }
}

void run(const RanksArguments& arguments) {
  Report rows({{.place = "/size", .title = "size"},
               {.place = "/ranks", .title = "ranks"},
               {.place = "/threads", .title = "threads each"},
               {.place = "/tokens_per_second", .title = "tokens/s"},
               {.place = "/over_threads", .title = "over threads", .decimals = 2},
               {.place = "/bytes_sent", .title = "MB sent a step", .decimals = 1, .factor = 1e-6},
               {.place = "/peak_memory_mb", .title = "memory MB", .decimals = 0}},
              arguments.json);
  for (const std::string& subject : arguments.subjects) {
    measure_subject(arguments, subject, rows);
  }
}

}  // namespace

void add_ranks_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "ranks",
      "Training steps of several ranks of one thread, beside one process with as many threads: "
      "tokens a second, their ratio, and what rank 0 sends and holds. There are as many shards as "
      "the most ranks. The weights must be equal");
  const auto arguments = std::make_shared<RanksArguments>();
  command->add_option("subjects", arguments->subjects, "Sizes A B C D, lm, or config files")
      ->capture_default_str();
  command->add_option("--ranks", arguments->counts, "Numbers of ranks")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seconds", arguments->seconds, "Time for the steps of one measurement")
      ->capture_default_str();
  command->add_option("--rounds", arguments->rounds, "Measurements of each case, in turns")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--launcher", arguments->launcher, "The launcher and its options")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "One JSON object a line");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace tapehead

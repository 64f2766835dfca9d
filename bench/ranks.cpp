// tapehead_bench ranks: training steps of several ranks, and of one process with as many threads.
#include <cstdio>

#include "bench/measure.hpp"
#include "core/random/draws.hpp"

namespace tapehead {

namespace {

// The arguments of a process that a launcher starts. All ranks together make `steps` steps after a
// first one; rank 0 prints the result for the command `ranks`.
struct RankArguments {
  std::string subject;
  Index threads;
  Index shards;
  Index steps;
};

Json rank_steps(const RankArguments& arguments, Ranks& ranks) {
  prepare_blas();
  const StepSubject subject =
      subject_named(arguments.subject, {fmt::format("training.shards={}", arguments.shards)});
  StepRun run(subject, arguments.threads, ranks);
  double tokens = 0;
  const double seconds = seconds_of([&] {
    for (Index i = 0; i < arguments.steps; ++i) {
      tokens += run.step().tokens;
    }
  });
  Hash weights;  // of the parameters only: bytes between them in the store have no meaning
  for (const NamedParameter& parameter : run.store().parameters()) {
    const Tensor value = run.store().value(parameter);
    const auto bytes = std::as_bytes(value.values());
    weights.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  return {{"size", subject.name},
          {"ranks", ranks.count()},
          {"threads", arguments.threads},
          {"steps", arguments.steps},
          {"seconds", seconds},
          {"tokens_per_second", tokens / seconds},
          {"bytes_sent", run.bytes_sent()},
          {"peak_memory_mb", peak_memory_mb()},
          {"weights", weights.hexadecimal()}};
}

struct RanksArguments {
  std::vector<std::string> subjects{"B", "C", "D"};
  std::vector<Index> counts{1, 2, 4};
  double seconds = 3;  // for the steps of a measurement
  Index rounds = 3;
  std::string launcher = "mpirun.openmpi --oversubscribe --bind-to none";
  bool json = false;
};

// A measured case: one process with several threads, or as many ranks with one thread each.
struct RanksCase {
  Index ranks;
  Index threads;
  std::vector<double> rates{};
  Json last{};
};

Json measure_ranks(const RanksArguments& arguments, const std::string& subject,
                   const RanksCase& one, Index steps) {
  const auto program = fs::path(program_path()).replace_filename("tapehead_bench_openmpi").string();
  if (!fs::exists(program)) {
    throw ConfigError("{} is not there: it is built where Open MPI is; run ./dev build mpi",
                      program);
  }
  std::string command =
      fmt::format("{} rank_steps {} {} {} {}", shell_word(program), shell_word(subject),
                  one.threads, std::ranges::max(arguments.counts), steps);
  if (one.ranks > 1) {
    command = fmt::format("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 {} -n {} {}",
                          arguments.launcher, one.ranks, command);
  }
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  if (!pipe) {
    throw IoError("cannot start " + command);
  }
  const Json row = Json::parse(pipe.get(), nullptr, false);
  if (row.is_discarded()) {
    throw IoError("no measurement is printed by " + command);
  }
  return row;
}

// Measures the cases in turns, so that a slower machine slows all of them.
void measure_subject(const RanksArguments& arguments, const std::string& subject, Report& table) {
  std::vector<RanksCase> cases;
  for (const Index count : arguments.counts) {
    cases.push_back({.ranks = 1, .threads = count});
    if (count > 1) {
      cases.push_back({.ranks = count, .threads = 1});
    }
  }
  const double trial = measure_ranks(arguments, subject, cases.front(), 2).at("seconds");
  const auto steps = std::max<Index>(2, static_cast<Index>(2 * arguments.seconds / trial));
  for (Index round = 0; round < arguments.rounds; ++round) {
    for (RanksCase& one : cases) {
      one.last = measure_ranks(arguments, subject, one, steps);
      one.rates.push_back(one.last.at("tokens_per_second"));
    }
  }
  double before = 0;
  for (RanksCase& one : cases) {
    if (one.last.at("weights") != cases.front().last.at("weights")) {
      throw NumericError("other weights than those of one process: " + one.last.dump());
    }
    const double rate = median(one.rates);
    one.last["tokens_per_second"] = rate;
    if (one.ranks > 1) {
      one.last["over_threads"] = rate / before;
    }
    before = rate;
    table.row(one.last);
  }
}

void run_ranks_bench(const RanksArguments& arguments) {
  Report table(arguments.json, {"size", "ranks", "threads", "tokens_per_second", "over_threads",
                                "bytes_sent", "peak_memory_mb"});
  for (const std::string& subject : arguments.subjects) {
    measure_subject(arguments, subject, table);
  }
}

}  // namespace

const Command ranks_bench(30, [](CLI::App& program) {
  const auto [command, arguments] = add_bench(
      program, "ranks",
      "Training steps of several ranks of one thread, beside one process with as many threads: "
      "tokens a second, their ratio, and what rank 0 sends and holds. There are as many shards as "
      "the most ranks. The weights must be equal",
      run_ranks_bench);
  command.add_option("subjects", arguments.subjects, "Sizes A B C D, lm, or config files");
  command.add_option("--ranks", arguments.counts, "Numbers of ranks")->check(CLI::PositiveNumber);
  command.add_option("--seconds", arguments.seconds, "Time for the steps of one measurement");
  command.add_option("--rounds", arguments.rounds, "Measurements of each case, in turns")
      ->check(CLI::PositiveNumber);
  command.add_option("--launcher", arguments.launcher, "The launcher and its options");
});

const Command rank_steps_command(31, [](CLI::App& program, Ranks& ranks) {
  const auto [command, arguments] = add_command<RankArguments>(
      program, "rank_steps", "The steps of one rank", [&ranks](const RankArguments& rank) {
        const Json row = rank_steps(rank, ranks);
        if (ranks.first()) {
          fmt::print("{}\n", row.dump());
        }
      });
  command.group("");
  command.add_option("subject", arguments.subject)->required();
  command.add_option("threads", arguments.threads)->required();
  command.add_option("shards", arguments.shards)->required();
  command.add_option("steps", arguments.steps)->required();
});

}  // namespace tapehead

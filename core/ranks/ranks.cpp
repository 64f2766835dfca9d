#include "core/ranks/ranks.hpp"

#include <fstream>

#include <sched.h>
#include <unistd.h>
#include <charconv>

#include "core/files/input_output.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

// Open MPI sets OMPI_ and PMIX_, and its newer launcher sets PRTE_. MPICH sets PMI_,
// MPI_LOCALRANKID, MPI_LOCALNRANKS, HYDI_ and MPIR_CVAR_, and reads HYDRA_.
constexpr std::array<std::string_view, 8> prefixes{"OMPI_",     "PMIX_", "PRTE_",  "PMI_",
                                                   "MPI_LOCAL", "HYDI_", "HYDRA_", "MPIR_CVAR_"};

std::optional<Index> number_in(const Environment& environment, const char* name) {
  const char* const digits = environment(name);
  if (digits == nullptr) {
    return std::nullopt;
  }
  Index number = 0;
  std::from_chars(digits, digits + std::strlen(digits), number);
  return number;
}

}  // namespace

std::string Ranks::name(Index /*rank*/) const { return "rank 0"; }

void Ranks::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
  if (!outgoing.empty() || !incoming.empty()) {
    throw RankError("a single process has no other process to exchange bytes with");
  }
}

int Ranks::end(const RankEnd& mine) {
  write_message(error_line(mine));
  return mine.exit_code;
}

namespace {

struct SharedMessage {
  const RankEnd* end;
  std::vector<Index> ranks;
};

std::vector<SharedMessage> messages_of(std::span<const std::optional<RankEnd>> ends,
                                       bool by_others) {
  std::vector<SharedMessage> messages;
  for (std::size_t rank = 0; rank < ends.size(); ++rank) {
    const auto& end = ends[rank];
    if (!end || end->message.empty() || end->by_others != by_others) {
      continue;
    }
    auto same = std::ranges::find_if(
        messages, [&](const SharedMessage& other) { return other.end->message == end->message; });
    if (same == messages.end()) {
      same = messages.insert(messages.end(), {&*end, {}});
    }
    same->ranks.push_back(static_cast<Index>(rank));
  }
  return messages;
}

constexpr Index nowhere = std::numeric_limits<Index>::max();

struct Failure {
  Index place = nowhere;
  Index numeric = 0;  // whether it is a NumericError
};

// Returns the message of an error, and sets failure.numeric.
std::string message_of(const std::exception_ptr& error, Failure& failure) {
  try {
    std::rethrow_exception(error);
  } catch (const NumericError& numeric) {
    failure.numeric = 1;
    return numeric.what();
  } catch (const std::exception& other) {
    return plain_message(other);
  } catch (...) {
    return "unknown error";
  }
}

}  // namespace

Ranks& alone() {
  static Ranks process;
  return process;
}

RankEnd end_of_all(const Ranks& ranks, std::span<const std::optional<RankEnd>> ends) {
  for (const bool by_others : {false, true}) {
    const std::vector<SharedMessage> messages = messages_of(ends, by_others);
    const auto text_of = [&](const SharedMessage& message) {
      const auto names =
          message.ranks | std::views::transform([&](Index rank) { return ranks.name(rank); });
      return (by_others || message.ranks.front() == 0 ? "" : join(names, ", ") + ": ") +
             message.end->message;
    };
    if (!messages.empty()) {
      return {.exit_code = messages.front().end->exit_code,
              .message = join(messages | std::views::transform(text_of), "\nerror: "),
              .by_others = by_others};
    }
  }
  const auto failed =
      std::ranges::find_if(ends, [](const auto& end) { return end && end->exit_code != 0; });
  return {.exit_code = failed == ends.end() ? 0 : (*failed)->exit_code};
}

std::string error_line(const RankEnd& end) {
  return end.message.empty() ? "" : "error: " + printable(end.message) + "\n";
}

void share_parts(Ranks& ranks, std::span<std::byte> all, std::span<const std::size_t> begins) {
  const auto part_of = [&](Index rank) {
    const auto part = begins.subspan(static_cast<std::size_t>(rank), 2);
    return all.subspan(part[0], part[1] - part[0]);
  };
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (Index other = 0; other < ranks.count(); ++other) {
    if (other == ranks.rank()) {
      continue;
    }
    if (!part_of(ranks.rank()).empty()) {
      outgoing.push_back({.to = other, .bytes = part_of(ranks.rank())});
    }
    if (!part_of(other).empty()) {
      incoming.push_back({.from = other, .bytes = part_of(other)});
    }
  }
  ranks.exchange(outgoing, incoming);
}

std::vector<std::string> share_texts(Ranks& ranks, std::string_view mine) {
  const std::vector<std::size_t> sizes = share_values(ranks, mine.size());
  std::vector<std::size_t> begins(sizes.size() + 1);
  std::partial_sum(sizes.begin(), sizes.end(), begins.begin() + 1);
  std::string all(begins.back(), '\0');
  all.replace(begins[static_cast<std::size_t>(ranks.rank())], mine.size(), mine);
  share_parts(ranks, std::as_writable_bytes(std::span(all)), begins);
  return mapped(numbers_below(sizes.size()),
                [&](std::size_t rank) { return all.substr(begins[rank], sizes[rank]); });
}

void copy_from_first(Ranks& ranks, std::span<std::byte> bytes) {
  if (bytes.empty()) {
    return;
  }
  std::vector<std::size_t> begins(static_cast<std::size_t>(ranks.count()) + 1, bytes.size());
  begins[0] = 0;
  share_parts(ranks, bytes, begins);
}

std::string text_of_first(Ranks& ranks, std::string_view mine) {
  std::string text(mine);
  text.resize(value_of_first(ranks, text.size()));
  copy_from_first(ranks, std::as_writable_bytes(std::span(text)));
  return text;
}

void throw_first(Ranks& ranks, const std::exception_ptr& error, Index place) {
  if (ranks.count() == 1) {
    if (error) {
      std::rethrow_exception(error);
    }
    return;
  }
  Failure mine;
  std::string message;
  if (error) {
    mine.place = place;
    message = message_of(error, mine);
  }
  const std::vector<Failure> failures = share_values(ranks, mine);
  const auto first = std::ranges::min_element(failures, {}, &Failure::place);
  if (first->place == nowhere) {
    return;
  }
  const auto rank = static_cast<Index>(first - failures.begin());
  const std::string said = share_texts(ranks, message)[static_cast<std::size_t>(rank)];
  if (rank == ranks.rank()) {
    std::rethrow_exception(error);
  }
  if (first->numeric != 0) {
    throw NumericError(said);
  }
  throw RankError("{}: {}", ranks.name(rank), said);
}

ThreadCount default_thread_count(Ranks& ranks) {
  // The machine and the cores of this process. boot_id changes at each start of a machine, and all
  // its containers share it, unlike the names of hosts.
  std::string mine;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), mine);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  mine.append(reinterpret_cast<const char*>(&allowed), sizeof allowed);
  return default_thread_count(std::ranges::count(share_texts(ranks, mine), mine));
}

std::vector<std::string> environment_without_launcher() {
  std::vector<std::string> kept;
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (std::ranges::none_of(prefixes, [&](auto prefix) { return text.starts_with(prefix); })) {
      kept.emplace_back(text);
    }
  }
  return kept;
}

Launched launched(Launcher preferred, const Environment& environment) {
  // mpirun of Open MPI sets OMPI_COMM_WORLD_SIZE; `srun --mpi=pmix` sets PMIX_RANK, and the number
  // of ranks in SLURM_STEP_NUM_TASKS.
  Launched openmpi;
  if (const auto ranks = number_in(environment, "OMPI_COMM_WORLD_SIZE")) {
    openmpi = {Launcher::openmpi, *ranks};
  } else if (number_in(environment, "PMIX_RANK")) {
    openmpi = {Launcher::openmpi, number_in(environment, "SLURM_STEP_NUM_TASKS").value_or(0)};
  }
  // mpirun of MPICH and `srun --mpi=pmi2` set PMI_SIZE and PMI_RANK.
  Launched mpich;
  if (number_in(environment, "PMI_SIZE") || number_in(environment, "PMI_RANK")) {
    mpich = {Launcher::mpich, number_in(environment, "PMI_SIZE").value_or(0)};
  }
  const bool take_mpich = preferred == Launcher::mpich && mpich.by == preferred;
  return openmpi.by == Launcher::none || take_mpich ? mpich : openmpi;
}

std::string_view library_of(Launcher launcher) {
  return launcher == Launcher::mpich ? "MPICH" : "Open MPI";
}

std::string program_of(Launcher launcher) {
  return launcher == Launcher::mpich ? "tapehead-mpich" : "tapehead-openmpi";
}

}  // namespace tapehead

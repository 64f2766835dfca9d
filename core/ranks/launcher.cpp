#include "core/ranks/launcher.hpp"

#include <charconv>

#include <unistd.h>

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

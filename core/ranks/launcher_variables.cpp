#include "core/ranks/launcher_variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace tapehead {

namespace {

// Open MPI sets OMPI_ and PMIX_, its successor's launcher PRTE_; MPICH sets PMI_, MPI_LOCALRANKID,
// MPI_LOCALNRANKS, HYDI_ and MPIR_CVAR_, and reads HYDRA_.
constexpr std::array<std::string_view, 8> prefixes{"OMPI_",     "PMIX_", "PRTE_",  "PMI_",
                                                   "MPI_LOCAL", "HYDI_", "HYDRA_", "MPIR_CVAR_"};

}  // namespace

bool is_launcher_variable(std::string_view name) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<std::string> environment_without_launcher() {
  std::vector<std::string> kept;
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    if (!is_launcher_variable(*variable)) {
      kept.emplace_back(*variable);
    }
  }
  return kept;
}

}  // namespace tapehead

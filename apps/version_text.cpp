// What --version prints.
#include "apps/commands.hpp"
#include "core/version.hpp"

namespace tapehead {

std::string version_text() {
  constexpr std::string_view commit = TAPEHEAD_COMMIT;
  const BlasInfo blas = prepare_blas(0);
  return fmt::format("tapehead {}{}{}\nkernels: {} ({})\nBLAS: {}; kernels in use: {}", version(),
                     commit.empty() ? "" : ", commit ", commit, kernel_level(),
                     vector_instructions(), blas.version, blas.kernels);
}

}  // namespace tapehead

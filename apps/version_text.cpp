// What --version prints.
#include "apps/commands.hpp"
#include "core/product/product_unit.hpp"
#include "core/version.hpp"

namespace tapehead {

std::string version_text() {
  constexpr std::string_view commit = TAPEHEAD_COMMIT;
  const BlasInfo blas = prepare_blas(0);
  return fmt::format(
      "tapehead {}{}{}\nkernels: {} ({})\nBLAS: {}; kernels in use: {}\nbfloat16: {}", version(),
      commit.empty() ? "" : ", commit ", commit, kernel_level(), vector_instructions(),
      blas.version, blas.kernels, product_unit().name);
}

}  // namespace tapehead

// Which OpenBLAS the program runs on, and the switch to the kernels that its CPU deserves.
#pragma once

#include <string>

namespace tapehead {

struct BlasInfo {
  std::string version;    // as OpenBLAS tells it
  std::string kernels;    // the core type whose kernels are in use, such as "Haswell" or "SkylakeX"
  bool switched = false;  // whether tapehead chose them
};

// Sees to it that BLAS runs one thread for each caller, in the pthread build, with AVX-512 kernels
// where the CPU has AVX-512 (OpenBLAS 0.3.21 takes Haswell's on CPUs that it does not know). A
// value of OPENBLAS_CORETYPE in the environment is honoured. To be called before any other thread
// uses BLAS. Throws IoError that names the remedy.
BlasInfo prepare_blas();

}  // namespace tapehead

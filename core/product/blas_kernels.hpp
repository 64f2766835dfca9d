// Reports which OpenBLAS the program uses, and chooses the best kernels for the CPU.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

struct BlasInfo {
  std::string version;    // as OpenBLAS reports it
  std::string kernels;    // the core type whose kernels are in use, such as "Haswell" or "SkylakeX"
  bool switched = false;  // whether tapehead chose the kernels
};

// Makes BLAS use one thread for each caller. Chooses AVX-512 kernels if the CPU has AVX-512, unless
// OPENBLAS_CORETYPE is set (OpenBLAS 0.3.21 uses Haswell kernels on CPUs that it does not know).
// Reserves the memory that BLAS needs in `threads` parallel threads. Call this before any other
// thread uses BLAS. Throws IoError with the remedy, also if OpenBLAS is not the pthread build.
BlasInfo prepare_blas(Index threads = 1);

}  // namespace tapehead

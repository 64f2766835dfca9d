// What --version prints.
#pragma once

#include <string>

namespace tapehead {

// The version, the commit it was built from, its kernels, and OpenBLAS. Throws as prepare_blas.
std::string version_text();

}  // namespace tapehead

// Scalar: the number type of a build. The same sources are compiled as float32 for normal work and
// as float64 for gradient checks, into two inline namespaces, so that one program can contain both.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

inline namespace TAPEHEAD_PRECISION {
}

namespace float32 {
using Scalar = float;
}
namespace float64 {
using Scalar = double;
}

}  // namespace tapehead

// The large headers that most sources over Scalar share, compiled once per precision.
#pragma once

#include <xsimd/xsimd.hpp>

#include "core/prelude.hpp"

// The large headers that most sources over Scalar share, compiled once per precision.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <xsimd/xsimd.hpp>

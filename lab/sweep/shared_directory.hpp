// Whether the ranks of a sweep see the same directory.
#pragma once

#include <filesystem>

#include "core/ranks/ranks.hpp"

namespace tapehead {

// `directory`, by which path this rank knows it, exists for the first rank. Throws IoError on every
// rank, with the names of the ranks that do not see a file that the first one writes there. The
// file is gone afterwards.
void expect_shared(Ranks& ranks, const std::filesystem::path& directory);

}  // namespace tapehead

#include "core/version.hpp"

namespace tapehead {

std::string_view version() { return TAPEHEAD_VERSION; }

}  // namespace tapehead

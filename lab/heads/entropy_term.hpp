// A term of an entropy.
#pragma once

#include <cmath>

namespace tapehead {

// p ln p, in nats, which tends to 0 with p.
inline double entropy_term(double p) { return p > 0 ? p * std::log(p) : 0; }

}  // namespace tapehead

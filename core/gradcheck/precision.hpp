// Gradient checks exist only in double precision: a difference of floats is too coarse to tell a
// wrong gradient from rounding.
#pragma once

#define TAPEHEAD_PRECISION_IS_float64 1
#define TAPEHEAD_PRECISION_IS(name) TAPEHEAD_PRECISION_IS_##name
#define TAPEHEAD_PRECISION_EXPANDED(name) TAPEHEAD_PRECISION_IS(name)
#if !TAPEHEAD_PRECISION_EXPANDED(TAPEHEAD_PRECISION)
#error "gradient checks need double precision: link this target with tapehead::double"
#endif
#undef TAPEHEAD_PRECISION_EXPANDED
#undef TAPEHEAD_PRECISION_IS
#undef TAPEHEAD_PRECISION_IS_float64

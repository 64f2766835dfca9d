#include "core/memory/clear.hpp"

#include <immintrin.h>

#include <algorithm>

#include "core/memory/prefetch.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

void clear(Scalar* data, Index count) {
  constexpr Index stays_in_cache = (Index{1} << 22) / sizeof(Scalar);
  if (count <= stays_in_cache) {
    std::fill_n(data, count, Scalar{0});
    return;
  }
  const Index before_first_line = (line_of(data) + cache_line - data) % cache_line;
  const Index lines = (count - before_first_line) / cache_line;
  std::fill_n(data, before_first_line, Scalar{0});
  data += before_first_line;
  for (Index i = 0; i < lines * cache_line; i += 16 / sizeof(Scalar)) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(data + i), _mm_setzero_si128());
  }
  // Without the fence, data written past the caches could arrive after later normal writes.
  _mm_sfence();
  const Index done = before_first_line + lines * cache_line;
  std::fill_n(data + lines * cache_line, count - done, Scalar{0});
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION

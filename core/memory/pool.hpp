// The memory pool: buffers that are counted, and kept for the next use when the last user lets go,
// so that a training step in its steady state takes nothing from the heap.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tapehead {

struct Span;

// A counted piece of pool memory, aligned for any vector unit.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(
      std::size_t bytes);  // contents undefined: NaN in every bit where checks().poison is set
  Buffer(const Buffer& other) noexcept;
  Buffer(Buffer&& other) noexcept : span_(std::exchange(other.span_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept;
  ~Buffer();

  std::byte* data() const;
  bool unique() const;  // nobody else holds it
  explicit operator bool() const { return span_ != nullptr; }

 private:
  Span* span_ = nullptr;
};

// Pool memory with one owner, who gives it back: what PoolVector is made of.
void* take_from_pool(std::size_t bytes);
void return_to_pool(void* memory) noexcept;

struct PoolUse {
  std::size_t bytes_held = 0;  // taken from the system, in use or kept
  std::size_t bytes_used = 0;  // in use
  std::size_t bytes_peak = 0;  // most ever in use at once, of each arena
};
PoolUse pool_use();

// The pool has several arenas, each with memory of its own that returns to it whoever lets go.
// Threads begin with arena 0. Those that work side by side take others (numbers `pool_arenas` apart
// mean the same): what a thread gets was last written by itself, so it is in the cache of its core
// and not of another. Throws bad_alloc.
constexpr std::size_t pool_arenas = 64;
void use_pool_arena(std::size_t number);

// Switches for finding mistakes, off in normal work (`poison` on with AddressSanitizer): `poison`
// fills fresh buffers with NaN, so that an element that was never written is seen; `finite` makes a
// tape look at every value and gradient, and name the op of the first bad one.
struct Checks {
  bool poison = false;
  bool finite = false;
};
Checks& checks();

}  // namespace tapehead

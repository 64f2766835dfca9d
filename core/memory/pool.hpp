// The memory pool: reference-counted buffers, whose memory is kept for reuse after the last user
// has gone. A training step in its steady state thus allocates nothing from the heap.
#pragma once

#include "core/prelude.hpp"

#include <atomic>

namespace tapehead {

struct Span;

// A reference-counted piece of pool memory, aligned for any vector unit.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes);  // undefined numbers; NaN where checks().poison is set
  Buffer(const Buffer& other) noexcept;
  Buffer(Buffer&& other) noexcept : span_(std::exchange(other.span_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept;
  ~Buffer();

  std::byte* data() const;
  bool unique() const;  // no other Buffer shares the memory
  explicit operator bool() const { return span_ != nullptr; }

 private:
  Span* span_ = nullptr;
};

// Pool memory with one owner, who must return it. PoolVector uses these functions.
void* take_from_pool(std::size_t bytes);
void return_to_pool(void* memory) noexcept;

struct PoolUse {
  std::size_t bytes_held = 0;  // taken from the system, in use or kept
  std::size_t bytes_used = 0;  // in use
  std::size_t bytes_peak = 0;  // the largest amount in use at once, summed over arenas
};
PoolUse pool_use();

// Gives the calling thread arena `number` modulo `pool_arenas`; threads start with arena 0. Memory
// returns to its arena whichever thread frees it. Threads that work in parallel use different
// arenas, so that the memory that a thread gets is still in the cache of its core. Throws
// bad_alloc. If addresses_limited(), all threads use arena 0.
constexpr std::size_t pool_arenas = 64;
void use_pool_arena(std::size_t number);

// Switches for debugging, off in normal work (`poison` is on with AddressSanitizer). `poison` fills
// fresh buffers with NaN, which reveals elements that are never written. `finite` makes a tape
// check every value and gradient, and name the op of the first bad one.
struct Checks {
  bool poison = false;
  bool finite = false;
};
Checks& checks();

// Sets the switches while it exists. Do not create it while other threads run.
class ChecksGuard : NotCopied {
 public:
  explicit ChecksGuard(const Checks& during) : before_(std::exchange(checks(), during)) {}
  ~ChecksGuard() { checks() = before_; }

 private:
  Checks before_;
};

template <class T>
class PoolAllocator {
 public:
  using value_type = T;

  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>& /*of another type*/) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(take_from_pool(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { return_to_pool(memory); }

  bool operator==(const PoolAllocator&) const = default;
};

// A vector in pool memory, for lists that every step creates or that closures keep.
template <class T>
using PoolVector = std::vector<T, PoolAllocator<T>>;

}  // namespace tapehead

#include "core/memory/pool.hpp"

#include <mutex>

#include "core/memory/span_heap.hpp"

namespace tapehead {

namespace {

struct Arena {
  std::mutex mutex;
  SpanHeap heap;
  std::size_t in_use = 0;
  std::size_t peak = 0;
};

// All arenas; null: not used yet. Never destroyed, since static buffers may be released later.
constinit std::array<std::atomic<Arena*>, pool_arenas> arenas{};

Arena& arena_at(std::size_t number) {
  Arena* arena = arenas[number].load(std::memory_order_acquire);
  if (arena == nullptr) {
    static std::mutex making;
    const std::lock_guard lock(making);
    arena = arenas[number];
    if (arena == nullptr) {
      arenas[number] = arena = new Arena;
    }
  }
  return *arena;
}

thread_local std::uint16_t own_arena = 0;

Span* take(std::size_t bytes) {
  Arena& arena = arena_at(own_arena);
  const std::lock_guard lock(arena.mutex);
  Span* span = arena.heap.take(bytes);
  span->arena = own_arena;
  arena.in_use += span->bytes;
  arena.peak = std::max(arena.peak, arena.in_use);
  return span;
}

void give_back(Span* span) {
  Arena& arena = arena_at(span->arena);
  const std::lock_guard lock(arena.mutex);
  arena.in_use -= span->bytes;
  arena.heap.give_back(span);
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : span_(take(bytes)) {
  if (checks().poison) {
    std::memset(span_->data(), 0xff, bytes);  // all ones is a NaN in float and in double
  }
}

Buffer::Buffer(const Buffer& other) noexcept : span_(other.span_) {
  if (span_ != nullptr) {
    span_->users.fetch_add(1, std::memory_order_relaxed);
  }
}

Buffer& Buffer::operator=(Buffer other) noexcept {
  std::swap(span_, other.span_);
  return *this;
}

Buffer::~Buffer() {
  if (span_ != nullptr && span_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    give_back(span_);
  }
}

std::byte* Buffer::data() const { return span_ == nullptr ? nullptr : span_->data(); }

bool Buffer::unique() const {
  return span_ != nullptr && span_->users.load(std::memory_order_acquire) == 1;
}

void* take_from_pool(std::size_t bytes) { return take(bytes)->data(); }

void return_to_pool(void* memory) noexcept { give_back(static_cast<Span*>(memory) - 1); }

PoolUse pool_use() {
  PoolUse use;
  for (const std::atomic<Arena*>& place : arenas) {
    if (Arena* arena = place.load(std::memory_order_acquire); arena != nullptr) {
      const std::lock_guard lock(arena->mutex);
      use.bytes_held += arena->heap.bytes_held();
      use.bytes_used += arena->in_use;
      use.bytes_peak += arena->peak;
    }
  }
  return use;
}

void use_pool_arena(std::size_t number) {
  own_arena = addresses_limited() ? 0 : static_cast<std::uint16_t>(number % pool_arenas);
  arena_at(own_arena);
}

Checks& checks() {
#ifdef __SANITIZE_ADDRESS__
  static Checks instance{.poison = true};  // a build for finding mistakes
#else
  static Checks instance;
#endif
  return instance;
}

}  // namespace tapehead

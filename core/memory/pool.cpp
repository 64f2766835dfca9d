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

// All arenas of the pool. An arena that was not used yet is null.
class Arenas {
 public:
  Arena& at(std::size_t number) {
    Arena* arena = arenas_[number].load(std::memory_order_acquire);
    return arena != nullptr ? *arena : make(number);
  }

  template <class Function>
  void for_each(const Function& function) const {
    for (const std::atomic<Arena*>& arena : arenas_) {
      if (Arena* made = arena.load(std::memory_order_acquire); made != nullptr) {
        const std::lock_guard lock(made->mutex);
        function(*made);
      }
    }
  }

 private:
  Arena& make(std::size_t number) {
    const std::lock_guard lock(making_);
    if (arenas_[number] == nullptr) {
      arenas_[number] = new Arena;
    }
    return *arenas_[number];
  }

  std::mutex making_;
  std::array<std::atomic<Arena*>, pool_arenas> arenas_{};
};

// Never destroyed, since buffers with static lifetime may be released later.
Arenas& arenas() {
  static Arenas& instance = *new Arenas;
  return instance;
}

thread_local std::uint16_t own_arena = 0;

Span* take(std::size_t bytes) {
  Arena& arena = arenas().at(own_arena);
  const std::lock_guard lock(arena.mutex);
  Span* span = arena.heap.take(bytes);
  span->arena = own_arena;
  arena.in_use += span->bytes;
  arena.peak = std::max(arena.peak, arena.in_use);
  return span;
}

void give_back(Span* span) {
  Arena& arena = arenas().at(span->arena);
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
  arenas().for_each([&use](const Arena& arena) {
    use.bytes_held += arena.heap.bytes_held();
    use.bytes_used += arena.in_use;
    use.bytes_peak += arena.peak;
  });
  return use;
}

void use_pool_arena(std::size_t number) {
  own_arena = addresses_limited() ? 0 : static_cast<std::uint16_t>(number % pool_arenas);
  arenas().at(own_arena);
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

#include "core/pool.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/span_heap.hpp"

namespace tapehead {

namespace {

struct Pool {
  std::mutex mutex;
  SpanHeap heap;
  std::size_t in_use = 0;
  std::size_t peak = 0;
};

// Never destroyed: buffers with static lifetime may be released after it would be.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

Span* take(std::size_t bytes) {
  Pool& shared = pool();
  const std::lock_guard lock(shared.mutex);
  Span* span = shared.heap.take(bytes);
  shared.in_use += span->bytes;
  shared.peak = std::max(shared.peak, shared.in_use);
  return span;
}

void give_back(Span* span) {
  Pool& shared = pool();
  const std::lock_guard lock(shared.mutex);
  shared.in_use -= span->bytes;
  shared.heap.give_back(span);
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
  Pool& shared = pool();
  const std::lock_guard lock(shared.mutex);
  return {.bytes_held = shared.heap.bytes_held(),
          .bytes_used = shared.in_use,
          .bytes_peak = shared.peak};
}

#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;  // a build that looks for mistakes, the program included
#else
constexpr bool sanitized = false;
#endif

Checks& checks() {
  static Checks instance{.poison = sanitized};
  return instance;
}

}  // namespace tapehead

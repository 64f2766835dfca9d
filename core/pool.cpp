#include "core/pool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>

namespace tapehead {

namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t smallest = 256;
constexpr std::size_t class_count = 4 * 48;

}  // namespace

struct alignas(alignment) Buffer::Block {
  std::atomic<std::uint32_t> users{1};
  std::uint32_t size_class = 0;
  Block* next = nullptr;

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};

namespace {

// Sizes come in steps of a quarter power of two, so that ragged batches find the buffers of earlier
// ones again at a cost of at most a quarter in space.
std::uint32_t class_of(std::size_t bytes) {
  bytes = std::max(bytes, smallest);
  const auto exponent = static_cast<std::uint32_t>(std::bit_width(bytes - 1) - 1);
  const std::size_t quarter = std::size_t{1} << (exponent - 2);
  const std::size_t steps = (bytes - (std::size_t{1} << exponent) + quarter - 1) / quarter;
  return 4 * exponent + static_cast<std::uint32_t>(steps);
}

std::size_t bytes_of(std::uint32_t size_class) {
  const std::size_t base = std::size_t{1} << (size_class / 4);
  return base + (size_class % 4) * (base / 4);
}

struct Pool {
  std::mutex mutex;
  std::array<Buffer::Block*, class_count> free{};
  PoolUse use;
  std::size_t in_use = 0;
};

// Never destroyed: buffers with static lifetime may be released after it would be.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

Buffer::Block* take(std::uint32_t size_class) {
  Pool& shared = pool();
  const std::size_t bytes = bytes_of(size_class);
  {
    const std::lock_guard lock(shared.mutex);
    shared.in_use += bytes;
    shared.use.bytes_peak = std::max(shared.use.bytes_peak, shared.in_use);
    if (Buffer::Block* block = shared.free[size_class]) {
      shared.free[size_class] = block->next;
      block->users.store(1, std::memory_order_relaxed);
      return block;
    }
    shared.use.bytes_held += bytes;
  }
  void* memory = ::operator new(sizeof(Buffer::Block) + bytes, std::align_val_t{alignment});
  auto* block = new (memory) Buffer::Block;
  block->size_class = size_class;
  return block;
}

void give_back(Buffer::Block* block) {
  Pool& shared = pool();
  const std::lock_guard lock(shared.mutex);
  shared.in_use -= bytes_of(block->size_class);
  block->next = shared.free[block->size_class];
  shared.free[block->size_class] = block;
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : block_(take(class_of(bytes))) {
  if (checks().poison) {
    std::memset(block_->data(), 0xff, bytes);  // all ones is a NaN in float and in double
  }
}

Buffer::Buffer(const Buffer& other) noexcept : block_(other.block_) {
  if (block_ != nullptr) {
    block_->users.fetch_add(1, std::memory_order_relaxed);
  }
}

Buffer& Buffer::operator=(Buffer other) noexcept {
  std::swap(block_, other.block_);
  return *this;
}

Buffer::~Buffer() {
  if (block_ != nullptr && block_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    give_back(block_);
  }
}

std::byte* Buffer::data() const { return block_ == nullptr ? nullptr : block_->data(); }

bool Buffer::unique() const {
  return block_ != nullptr && block_->users.load(std::memory_order_acquire) == 1;
}

PoolUse pool_use() {
  Pool& shared = pool();
  const std::lock_guard lock(shared.mutex);
  return shared.use;
}

Checks& checks() {
  static Checks instance;
  return instance;
}

}  // namespace tapehead

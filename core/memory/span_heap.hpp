// A heap for buffers of all sizes: one range of addresses, divided into spans. Free neighbours are
// merged, so a batch with other sizes can use the memory that the last batch freed.
#pragma once

#include "core/prelude.hpp"

#include <atomic>

namespace tapehead {

// The header of a span; its memory follows.
struct alignas(64) Span {
  std::atomic<std::uint32_t> users{0};
  bool free = true;
  std::uint16_t arena = 0;  // its number in the pool
  std::size_t bytes = 0;    // of the span, including this header
  Span* before = nullptr;   // the neighbour at the lower address
  Span* next = nullptr;     // in the list of free spans of about this size
  Span** link = nullptr;    // what points to this span in that list

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};

// Whether the system limits the addresses of the process; a heap then reserves half of the limit.
bool addresses_limited();

// Not thread-safe.
class SpanHeap : NotCopied {
 public:
  SpanHeap();  // reserves addresses for all memory of the machine; throws bad_alloc
  ~SpanHeap();

  Span* take(std::size_t asked);  // with one user and at least `asked` bytes; throws bad_alloc
  void give_back(Span* span);
  // The bytes taken from the system.
  std::size_t bytes_held() const { return static_cast<std::size_t>(end_ - begin_); }

 private:
  static constexpr std::size_t list_count = 16 * 48;

  Span* after(Span* span) const;
  Span* find(std::size_t bytes);
  Span* grow(std::size_t bytes);
  void cut(Span* span, std::size_t bytes);
  void join(Span* lower, Span* upper);
  void list(Span* span);
  void unlist(Span* span);

  std::span<std::byte> reserved_;  // all addresses
  std::byte* begin_ = nullptr;     // starts at a huge page
  std::byte* end_ = nullptr;       // end of the memory taken from the system
  std::byte* limit_ = nullptr;     // end of the reserved addresses
  Span* last_ = nullptr;           // the span that ends at end_
  std::array<Span*, list_count> lists_{};
  std::array<std::uint64_t, list_count / 64> filled_{};  // a bit for each list that holds a span
};

}  // namespace tapehead

// A heap for buffers of all sizes: one run of address space, cut into spans that are in use or
// free. Free neighbours join, so that what one ragged batch let go of serves the next, whatever its
// sizes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tapehead {

// The head of a span; its memory follows.
struct alignas(64) Span {
  std::atomic<std::uint32_t> users{0};
  bool free = true;
  std::uint16_t arena = 0;   // whose heap it is of, for the pool
  std::size_t bytes = 0;     // of the whole span, this head included
  Span* before = nullptr;    // the neighbour at the lower address
  Span* previous = nullptr;  // in the list of free spans of about this size
  Span* next = nullptr;

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
};

// Whether the process may have no more than so many addresses; a heap then reserves half of them.
bool addresses_limited();

// Not for several threads at once.
class SpanHeap {
 public:
  SpanHeap();  // reserves addresses for as much memory as the machine has, and takes none; throws
               // bad_alloc
  ~SpanHeap();
  SpanHeap(const SpanHeap&) = delete;
  SpanHeap& operator=(const SpanHeap&) = delete;

  Span* take(std::size_t asked);  // with one user and at least so many bytes; throws bad_alloc
  void give_back(Span* span);
  std::size_t bytes_held() const {
    return static_cast<std::size_t>(end_ - begin_);
  }  // taken from the system

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
  std::byte* begin_ = nullptr;     // at a huge page
  std::byte* end_ = nullptr;       // of what is taken from the system
  std::byte* limit_ = nullptr;     // of the addresses reserved
  Span* last_ = nullptr;           // the span that ends at end_
  std::array<Span*, list_count> lists_{};
  std::array<std::uint64_t, list_count / 64> filled_{};  // a bit for each list that holds a span
};

}  // namespace tapehead

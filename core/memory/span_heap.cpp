#include "core/memory/span_heap.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <new>

// AddressSanitizer reports any access to free memory.
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) static_cast<void>(0)
#endif

namespace tapehead {

namespace {

constexpr std::size_t unit = 64;         // start and length of a span are multiples of it
constexpr std::size_t least = 4 * unit;  // the smallest span: a smaller rest is not cut off
// Memory is taken from the system in multiples of a huge page. With small pages every matrix row of
// a product is on its own page, and the processor caches the addresses of few pages.
constexpr std::size_t growth = 1 << 21;

constexpr std::size_t round_up(std::size_t bytes, std::size_t to) {
  return (bytes + to - 1) / to * to;
}

// List 16 e + k holds spans from (1 + k / 16) 2^e bytes up to the start of the next list, so there
// are sixteen lists for each power of two.
std::size_t list_of(std::size_t bytes) {
  const auto exponent = static_cast<std::size_t>(std::bit_width(bytes) - 1);
  return 16 * exponent + ((bytes >> (exponent - 4)) & 15);
}

rlim_t most_addresses() {
  rlimit addresses{};
  return getrlimit(RLIMIT_AS, &addresses) == 0 ? addresses.rlim_cur : RLIM_INFINITY;
}

// The memory of the machine, at most half of the addresses: the rest of the program needs some.
std::size_t most_bytes() {
  constexpr long many = 1 << 28;  // pages of 4 KiB: 1 TiB, if the system gives no number
  const long pages = sysconf(_SC_PHYS_PAGES);
  auto bytes = static_cast<std::size_t>(pages > 0 ? pages : many) *
               static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (addresses_limited()) {
    bytes = std::min<std::size_t>(bytes, most_addresses() / 2);
  }
  return round_up(bytes, growth);
}

Span* make_head(std::byte* memory) {
  ASAN_UNPOISON_MEMORY_REGION(memory, sizeof(Span));
  return new (memory) Span;
}

}  // namespace

bool addresses_limited() { return most_addresses() != RLIM_INFINITY; }

SpanHeap::SpanHeap() {
  std::size_t bytes = most_bytes();
  std::size_t addresses = 0;
  void* memory = MAP_FAILED;
  for (; memory == MAP_FAILED && bytes >= 2 * growth; bytes /= 2) {  // less may be allowed
    memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    addresses = bytes;
  }
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  reserved_ = {static_cast<std::byte*>(memory), addresses};
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  begin_ = reserved_.data() + (round_up(address, growth) - address);
  end_ = begin_;
  limit_ = begin_ + (addresses - growth);
  madvise(begin_, addresses - growth, MADV_HUGEPAGE);  // optional, but faster
}

SpanHeap::~SpanHeap() {
  ASAN_UNPOISON_MEMORY_REGION(begin_, bytes_held());
  munmap(reserved_.data(), reserved_.size());
}

Span* SpanHeap::take(std::size_t asked) {
  if (asked > static_cast<std::size_t>(limit_ - begin_)) {
    throw std::bad_alloc();
  }
  const std::size_t bytes = std::max(round_up(sizeof(Span) + asked, unit), least);
  Span* span = find(bytes);
  if (span == nullptr) {
    span = grow(bytes);
  }
  cut(span, bytes);
  span->free = false;
  span->users.store(1, std::memory_order_relaxed);
  ASAN_UNPOISON_MEMORY_REGION(span->data(), asked);
  return span;
}

void SpanHeap::give_back(Span* span) {
  ASAN_POISON_MEMORY_REGION(span->data(), span->bytes - sizeof(Span));
  span->free = true;
  if (Span* upper = after(span); upper != nullptr && upper->free) {
    unlist(upper);
    join(span, upper);
  }
  if (Span* lower = span->before; lower != nullptr && lower->free) {
    unlist(lower);
    join(lower, span);
    span = lower;
  }
  list(span);
}

Span* SpanHeap::after(Span* span) const {
  return span == last_ ? nullptr
                       : reinterpret_cast<Span*>(reinterpret_cast<std::byte*>(span) + span->bytes);
}

// Removes a free span from its list: one of about this size if possible, otherwise a larger one.
Span* SpanHeap::find(std::size_t bytes) {
  for (Span* span = lists_[list_of(bytes)]; span != nullptr; span = span->next) {
    if (span->bytes >= bytes) {
      unlist(span);
      return span;
    }
  }
  const std::size_t at = list_of(bytes - 1) + 1;  // all spans from here on are long enough
  std::uint64_t asked = ~std::uint64_t{0} << (at % 64);
  for (std::size_t word = at / 64; word < filled_.size(); ++word) {
    if (const std::uint64_t rest = filled_[word] & asked; rest != 0) {
      Span* span = lists_[64 * word + static_cast<std::size_t>(std::countr_zero(rest))];
      unlist(span);
      return span;
    }
    asked = ~std::uint64_t{0};
  }
  return nullptr;
}

// A long enough span at the end: the last one, extended, if it is free; otherwise a new one.
Span* SpanHeap::grow(std::size_t bytes) {
  const bool longer = last_ != nullptr && last_->free;
  const std::size_t more = round_up(bytes - (longer ? last_->bytes : 0), growth);
  if (more > static_cast<std::size_t>(limit_ - end_) ||
      mprotect(end_, more, PROT_READ | PROT_WRITE) != 0) {
    throw std::bad_alloc();
  }
  ASAN_POISON_MEMORY_REGION(end_, more);
  if (longer) {
    unlist(last_);
    last_->bytes += more;
  } else {
    Span* fresh = make_head(end_);
    fresh->bytes = more;
    fresh->before = last_;
    last_ = fresh;
  }
  end_ += more;
  return last_;
}

// Keeps the first bytes of a span, and makes a free span of the rest.
void SpanHeap::cut(Span* span, std::size_t bytes) {
  const std::size_t rest = span->bytes - bytes;
  if (rest < least) {
    return;
  }
  Span* upper = after(span);
  span->bytes = bytes;
  Span* spare = make_head(reinterpret_cast<std::byte*>(span) + bytes);
  spare->bytes = rest;
  spare->before = span;
  (upper == nullptr ? last_ : upper->before) = spare;
  list(spare);
}

void SpanHeap::join(Span* lower, Span* upper) {
  lower->bytes += upper->bytes;
  if (upper == last_) {
    last_ = lower;
  } else {
    after(lower)->before = lower;
  }
  ASAN_POISON_MEMORY_REGION(upper, sizeof(Span));
}

void SpanHeap::list(Span* span) {
  const std::size_t at = list_of(span->bytes);
  span->link = &lists_[at];
  span->next = lists_[at];
  if (span->next != nullptr) {
    span->next->link = &span->next;
  }
  lists_[at] = span;
  filled_[at / 64] |= std::uint64_t{1} << (at % 64);
}

void SpanHeap::unlist(Span* span) {
  const std::size_t at = list_of(span->bytes);
  *span->link = span->next;
  if (span->next != nullptr) {
    span->next->link = span->link;
  }
  if (lists_[at] == nullptr) {
    filled_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
  }
}

}  // namespace tapehead

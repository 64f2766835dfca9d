// Closures of any type, stored one after another in memory that is reused from step to step.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tapehead {

// A function of one argument that lives in a ClosureArena. Its destructor destroys what it
// captured, but frees no memory.
template <class Argument>
class Closure {
 public:
  Closure() = default;
  template <class Function>
  explicit Closure(Function* function)
      : object_(function),
        call_(
            [](void* object, Argument& argument) { (*static_cast<Function*>(object))(argument); }),
        destroy_([](void* object) { std::destroy_at(static_cast<Function*>(object)); }) {}
  Closure(Closure&& other) noexcept { *this = std::move(other); }
  Closure& operator=(Closure&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(call_, other.call_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~Closure() {
    if (object_ != nullptr) {
      destroy_(object_);
    }
  }

  explicit operator bool() const { return object_ != nullptr; }
  void operator()(Argument& argument) const { call_(object_, argument); }

 private:
  void* object_ = nullptr;
  void (*call_)(void*, Argument&) = nullptr;
  void (*destroy_)(void*) = nullptr;
};

class ClosureArena {
 public:
  // The closure must be destroyed before `rewind`.
  template <class Argument, class Function>
  Closure<Argument> make(Function&& function) {
    using Stored = std::remove_cvref_t<Function>;
    static_assert(sizeof(Stored) <= chunk_bytes && alignof(Stored) <= alignof(std::max_align_t));
    return Closure<Argument>(new (room(sizeof(Stored))) Stored(std::forward<Function>(function)));
  }

  void rewind() {
    chunk_ = 0;
    used_ = 0;
  }

 private:
  static constexpr std::size_t chunk_bytes = 16384;

  void* room(std::size_t bytes) {
    bytes = (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
            alignof(std::max_align_t);
    if (used_ + bytes > chunk_bytes) {
      ++chunk_;
      used_ = 0;
    }
    if (chunk_ == chunks_.size()) {
      chunks_.push_back(std::make_unique<Chunk>());
    }
    return chunks_[chunk_]->bytes + std::exchange(used_, used_ + bytes);
  }

  struct Chunk {
    alignas(std::max_align_t) std::byte bytes[chunk_bytes];
  };
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t chunk_ = 0;
  std::size_t used_ = 0;
};

}  // namespace tapehead

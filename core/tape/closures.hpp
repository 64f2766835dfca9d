// Closures of any type, stored one after another in memory that is reused from step to step.
#pragma once

#include "core/prelude.hpp"

#include <new>

namespace tapehead {

// A function of one argument that lives in a ClosureArena, which keeps its memory.
template <class Argument>
class Closure {
 public:
  Closure() = default;
  template <class Function>
  explicit Closure(Function* function)
      : object_(function, [](void* object) { std::destroy_at(static_cast<Function*>(object)); }),
        call_([](void* object, Argument& argument) {
          (*static_cast<Function*>(object))(argument);
        }) {}

  explicit operator bool() const { return object_ != nullptr; }
  void operator()(Argument& argument) const { call_(object_.get(), argument); }

 private:
  std::unique_ptr<void, void (*)(void*)> object_{nullptr, nullptr};
  void (*call_)(void*, Argument&) = nullptr;
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
    constexpr std::size_t unit = alignof(std::max_align_t);
    bytes = (bytes + unit - 1) / unit * unit;
    if (used_ + bytes > chunk_bytes) {
      ++chunk_;
      used_ = 0;
    }
    if (chunk_ == chunks_.size()) {
      chunks_.push_back(std::make_unique<std::byte[]>(chunk_bytes));
    }
    return chunks_[chunk_].get() + std::exchange(used_, used_ + bytes);
  }

  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t chunk_ = 0;
  std::size_t used_ = 0;
};

}  // namespace tapehead

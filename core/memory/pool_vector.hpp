// Vectors in pool memory, for lists that every step makes anew and for lists that closures keep.
#pragma once

#include <cstddef>
#include <vector>

#include "core/memory/pool.hpp"

namespace tapehead {

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

template <class T>
using PoolVector = std::vector<T, PoolAllocator<T>>;

}  // namespace tapehead

// A measurement in a process of its own, so that its memory, and what it leaves in the pool, is its
// own.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace tapehead {

// What `measure` gives. The process has one thread and prepare_blas() done when it begins. Throws
// what `measure` threw, as an IoError with the same message. To be called while there are no other
// threads.
nlohmann::ordered_json measure_apart(const std::function<nlohmann::ordered_json()>& measure);

// The most memory that this process has had resident, in MB (1e6 bytes).
double peak_memory_mb();

}  // namespace tapehead

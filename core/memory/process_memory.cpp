#include "core/memory/process_memory.hpp"

#include "core/files/files.hpp"

namespace tapehead {

namespace {

// Reads a line such as "VmHWM:     12345 kB".
std::size_t bytes_in(const std::string& status, std::string_view name) {
  const std::size_t at = status.find(name);
  return at == std::string::npos ? 0 : 1024 * std::stoul(status.substr(at + name.size()));
}

}  // namespace

ProcessMemory process_memory() {
  const std::string status = read_file("/proc/self/status");
  return {.resident = bytes_in(status, "VmRSS:"), .peak = bytes_in(status, "VmHWM:")};
}

}  // namespace tapehead

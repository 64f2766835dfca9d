#include "core/ranks/default_threads.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "core/ranks/sharing.hpp"

namespace tapehead {

namespace {

// A machine has another identity at each start, and all its containers have the same one, unlike
// names of hosts.
std::string cores_of_process() {
  std::string machine;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), machine);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) {
      machine += ' ' + std::to_string(core);
    }
  }
  return machine;
}

}  // namespace

ThreadCount default_thread_count(Ranks& ranks) {
  const std::string mine = cores_of_process();
  const std::vector<std::string> all = share_texts(ranks, mine);
  return default_thread_count(std::ranges::count(all, mine));
}

}  // namespace tapehead

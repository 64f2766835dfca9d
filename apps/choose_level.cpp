// The program `tapehead` of a package. It starts the program in lib/tapehead/LEVEL/ that was built
// for the newest instructions of this CPU. The environment variable TAPEHEAD_KERNELS selects
// another level.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Level {
  std::string_view name;
  bool works;  // whether this CPU can run it
};

// The newest level first. Tests for the instructions that cmake/compile_flags.cmake enables.
std::array<Level, 3> levels() {
  const bool aes = __builtin_cpu_supports("aes") != 0;
  return {{{"avx512", aes && __builtin_cpu_supports("x86-64-v4") != 0},
           {"avx2", aes && __builtin_cpu_supports("x86-64-v3") != 0},
           {"sse4", __builtin_cpu_supports("x86-64-v2") != 0}}};
}

// Where the levels are, and in a package for any system the libraries and the loader.
fs::path library_folder() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  return (error ? "/usr" : own.parent_path().parent_path()) / fs::path("lib/tapehead");
}

fs::path program_of(std::string_view level) { return library_folder() / level / "tapehead"; }

// Returns only if the program cannot be started. A loader in the package loads the program with the
// package's libraries alone, so that the system's C library may be older, or another one.
void start(const fs::path& program, char** argv) {
  const fs::path libraries = library_folder();
  const fs::path loader = libraries / "ld-linux-x86-64.so.2";
  if (access(loader.c_str(), X_OK) != 0) {
    execv(program.c_str(), argv);
    return;
  }
  std::vector<std::string> words{loader,    "--inhibit-cache", "--library-path", libraries,
                                 "--argv0", argv[0],           program};
  for (char** word = argv + 1; *word != nullptr; ++word) {
    words.emplace_back(*word);
  }
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  execv(loader.c_str(), pointers.data());
}

int fail(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 2;
}

}  // namespace

// Exit code 2 if no level, or not the level in TAPEHEAD_KERNELS, is usable; else the program's.
int main(int /*argc*/, char** argv) {
  const char* const asked = std::getenv("TAPEHEAD_KERNELS");
  const std::string wanted = asked != nullptr ? asked : "";
  std::string usable;
  for (const Level& level : levels()) {
    const fs::path program = program_of(level.name);
    if (!level.works || access(program.c_str(), X_OK) != 0) {
      continue;
    }
    if (wanted.empty() || level.name == wanted) {
      start(program, argv);
      return fail("cannot start " + program.string() + ": " + std::strerror(errno));
    }
    usable += (usable.empty() ? "" : ", ") + std::string(level.name);
  }
  if (usable.empty()) {
    return fail("there is no " + program_of("LEVEL").string() +
                " for this CPU; keep bin and lib together. tapehead needs a CPU with SSE4.2");
  }
  return fail("TAPEHEAD_KERNELS is '" + wanted + "'; allowed on this CPU: " + usable);
}

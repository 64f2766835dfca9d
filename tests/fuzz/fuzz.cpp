// Fuzzes a reader with libFuzzer, whose options follow --reader=NAME. With --tell, prints what the
// reader makes of each file as a line of JSON, for tests/fuzz/oracle.py. `./dev fuzz` runs both.
#include "core/files/files.hpp"
#include "tests/fuzz/readers.hpp"

namespace {

const tapehead::BytesForReader* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  using namespace tapehead;
  const std::span<char*> arguments(*words, static_cast<std::size_t>(*count));
  for (const FuzzedReader& reader : fuzzed_readers) {
    if (arguments.size() > 1 && fmt::format("--reader={}", reader.name) == arguments[1]) {
      static const BytesForReader bytes(reader);
      chosen = &bytes;
    }
  }
  if (chosen == nullptr) {
    for (const FuzzedReader& reader : fuzzed_readers) {
      fmt::print("{}\n", reader.name);
    }
    std::exit(arguments.size() > 1 ? 2 : 0);
  }
  if (arguments.size() > 2 && std::string_view(arguments[2]) == "--tell") {
    for (const char* file : arguments.subspan(3)) {
      Json told = chosen->tell(read_file(file));
      told["file"] = file;
      fmt::print("{}\n", json_text(told));
    }
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = chosen->complaint({reinterpret_cast<const char*>(data), size});
  if (!wrong.empty()) {
    fmt::print(stderr, "WRONG: {}\n", wrong);
    std::abort();
  }
  return 0;
}

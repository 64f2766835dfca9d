// A function that reads a file, for fuzzing, and what is wrong about how it takes any bytes.
#pragma once

#include <unistd.h>

#include <fstream>

#include <spdlog/spdlog.h>

#include "core/files/json_text.hpp"

namespace tapehead {

struct FuzzedReader {
  std::string_view name;    // also of its files in tests/fixtures/fuzz
  std::string_view file;    // the name under which it gets the bytes
  std::string_view beside;  // a directory of fixtures, whose files are there too; "": none
  Json (*read)(const fs::path& file);  // returns numbers that a user may see
  // The bytes with a right checksum, which no chance would find. They are read too.
  std::string (*repaired)(const std::string& bytes) = nullptr;

  friend std::ostream& operator<<(std::ostream& out, const FuzzedReader& reader) {
    return out << reader.name;
  }
};

// Gives bytes to a reader, in a temporary directory of its own, which is the working directory.
class BytesForReader : NotCopied {
 public:
  explicit BytesForReader(const FuzzedReader& reader) : reader_(reader) {
    fs::create_directories(here_);
    if (!reader.beside.empty()) {
      for (const auto& entry :
           fs::directory_iterator(fs::path(TAPEHEAD_FIXTURES) / reader.beside)) {
        fs::copy(entry.path(), here_);
      }
    }
    fs::current_path(here_);
    spdlog::set_level(spdlog::level::off);
  }
  ~BytesForReader() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
    fs::remove_all(here_, ignored);
    spdlog::set_level(level_);
  }

  // {"value": what was read}, or {"refused": the message}, or {"wrong": what must not be}.
  Json tell(const std::string& bytes) const {
    const fs::path file = here_ / reader_.file;
    std::ofstream(file, std::ios::binary) << bytes;
    try {
      Json value = reader_.read(file);
      return is_finite(value) ? Json{{"value", std::move(value)}}
                              : Json{{"wrong", "a number is not finite"}};
    } catch (const ConfigError& error) {
      return refusal(error);
    } catch (const DataError& error) {
      return refusal(error);
    } catch (const IoError& error) {
      return refusal(error);
    } catch (const std::exception& error) {
      return {{"wrong", std::string("an error of no kind of ours: ") + error.what()}};
    }
  }

  // What is wrong about how the reader takes the bytes, with a right checksum too; "" if nothing.
  std::string complaint(const std::string& bytes) const {
    const std::string wrong = tell(bytes).value("wrong", "");
    return reader_.repaired == nullptr || !wrong.empty()
               ? wrong
               : tell(reader_.repaired(bytes)).value("wrong", "");
  }

 private:
  static bool is_finite(const Json& value) {
    return value.is_structured() ? std::ranges::all_of(value, is_finite)
                                 : !value.is_number_float() || std::isfinite(value.get<double>());
  }

  Json refusal(const std::exception& error) const {
    const std::string message = error.what();
    const bool names = message.find(reader_.file) != message.npos ||
                       message.find(here_.string()) != message.npos ||
                       message.find("config.yaml") != message.npos;
    return {{names ? "refused" : "wrong", (names ? "" : "a message without the file: ") + message}};
  }

  const FuzzedReader& reader_;
  fs::path before_ = fs::current_path();
  spdlog::level::level_enum level_ = spdlog::get_level();
  fs::path here_ = fs::temp_directory_path() / fmt::format("tapehead-fuzz-{}", ::getpid());
};

}  // namespace tapehead

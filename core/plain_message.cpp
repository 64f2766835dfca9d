#include "core/plain_message.hpp"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace tapehead {

namespace {

std::string message_of_filesystem(const std::filesystem::filesystem_error& error) {
  if (!error.path1().empty()) {
    return fmt::format("cannot use {}: {}", error.path1().string(), error.code().message());
  }
  constexpr std::string_view prefix = "filesystem error: ";
  const std::string_view message =
      error.what();  // "filesystem error: cannot get current path: ..."
  return std::string(message.substr(message.starts_with(prefix) ? prefix.size() : 0));
}

}  // namespace

std::string plain_message(const std::exception& error) {
  // A length_error asks for more than any memory has.
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
      dynamic_cast<const std::length_error*>(&error) != nullptr) {
    return "out of memory; try a smaller model, smaller training.batch_tokens or "
           "evaluation.batch_tokens, or fewer threads";
  }
  const auto* const file = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
  return file != nullptr ? message_of_filesystem(*file) : error.what();
}

}  // namespace tapehead

// A file whose bytes are mapped into memory: pages are read when they are used, and the system may
// drop them again.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "core/files/open_file.hpp"

namespace tapehead {

class MappedFile {
 public:
  // Throws IoError. The file may be closed, renamed or removed afterwards, but not shortened.
  MappedFile(const OpenFile& file, const std::filesystem::path& shown_as);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(address_), size_}; }

 private:
  void* address_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tapehead

#include "core/files/mapped_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

namespace tapehead {

MappedFile::MappedFile(const OpenFile& file, const std::filesystem::path& shown_as) {
  struct stat status{};
  if (::fstat(file.descriptor(), &status) != 0) {
    throw io_error("read", shown_as, errno);
  }
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) {
    return;  // nothing can be mapped
  }
  address_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (address_ == MAP_FAILED) {
    throw io_error("map", shown_as, errno);
  }
}

MappedFile::~MappedFile() {
  if (size_ > 0) {
    ::munmap(address_, size_);
  }
}

}  // namespace tapehead

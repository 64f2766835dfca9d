// Gzip: recognises compressed content, and unpacks it while it is read.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tapehead {

// How every gzip file begins (RFC 1952, section 2.3.1).
inline constexpr std::string_view gzip_signature = "\x1f\x8b";

class Gunzip {
 public:
  // `name`: the file, for messages.
  explicit Gunzip(std::filesystem::path name);
  Gunzip(Gunzip&&) noexcept;
  Gunzip& operator=(Gunzip&&) noexcept;
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  ~Gunzip();

  // Unpacks the next bytes of the file and appends the result to `text`. A file may have several
  // members, one after another. Throws IoError that names the file if the bytes are damaged.
  void unpack(std::string_view packed, std::string& text);

  // Call it at the end of the file. Throws IoError if the content is incomplete.
  void expect_complete() const;

 private:
  struct Inflater;

  std::filesystem::path name_;
  std::unique_ptr<Inflater> inflater_;
  bool complete_ = false;  // a member has ended, and no other has begun
};

}  // namespace tapehead

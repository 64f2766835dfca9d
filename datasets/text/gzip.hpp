// Gzip: content that was compressed with it, recognised and unpacked as it comes.
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

  // Appends to `text` what the next bytes of the file unpack to; a file may have several members,
  // one after another. Throws IoError naming the file when they are damaged.
  void unpack(std::string_view packed, std::string& text);

  // At the end of the file. Throws IoError when it came too early.
  void expect_complete() const;

 private:
  struct Inflater;

  std::filesystem::path name_;
  std::unique_ptr<Inflater> inflater_;
  bool complete_ = false;  // a member has ended, and no other has begun
};

}  // namespace tapehead

#include "datasets/text/gzip.hpp"

#include <array>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "core/errors.hpp"

namespace tapehead {

namespace {

constexpr int gzip_window = 16 + MAX_WBITS;                 // zlib's code for gzip
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits

IoError damaged(const std::filesystem::path& name, std::string_view what) {
  return IoError(fmt::format("cannot read {}: gzip data that {}", name.string(), what));
}

}  // namespace

struct Gunzip::Inflater {
  z_stream stream{};

  Inflater() {
    if (inflateInit2(&stream, gzip_window) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

Gunzip::Gunzip(std::filesystem::path name)
    : name_(std::move(name)), inflater_(std::make_unique<Inflater>()) {}
Gunzip::Gunzip(Gunzip&&) noexcept = default;
Gunzip& Gunzip::operator=(Gunzip&&) noexcept = default;
Gunzip::~Gunzip() = default;

void Gunzip::unpack(std::string_view packed, std::string& text) {
  z_stream& stream = inflater_->stream;
  std::array<char, 1 << 16> buffer;
  bool full = false;  // if so, there may be more output than fitted into the buffer
  while (!packed.empty() || full) {
    const std::string_view part = packed.substr(0, most_at_once);
    stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(part.data()));
    stream.avail_in = static_cast<uInt>(part.size());
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_BUF_ERROR) {
      return;  // there was no more output
    }
    if (status != Z_OK && status != Z_STREAM_END) {
      throw damaged(name_, "is damaged");
    }
    text.append(buffer.data(), buffer.size() - stream.avail_out);
    packed.remove_prefix(part.size() - stream.avail_in);
    full = stream.avail_out == 0;
    complete_ = status == Z_STREAM_END;
    if (complete_) {
      inflateReset(&stream);
    }
  }
}

void Gunzip::expect_complete() const {
  if (!complete_) {
    throw damaged(name_, "ends before it is complete");
  }
}

}  // namespace tapehead

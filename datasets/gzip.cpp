#include "datasets/gzip.hpp"

#include <array>
#include <new>

#include <fmt/format.h>
#include <zlib.h>

#include "core/errors.hpp"

namespace tapehead {

namespace {

constexpr int gzip_window = 16 + MAX_WBITS;  // as zlib asks for the gzip format

struct Inflater {
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

// Hands the inflater its next input: zlib counts in 32 bits, so a large file comes in pieces.
void refill(z_stream& stream, std::string_view& rest) {
  const std::string_view piece = rest.substr(0, std::size_t{1} << 30);
  stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(piece.data()));
  stream.avail_in = static_cast<uInt>(piece.size());
  rest.remove_prefix(piece.size());
}

}  // namespace

bool is_gzip(std::string_view content) { return content.starts_with("\x1f\x8b"); }

std::string gunzip(std::string_view content, const std::filesystem::path& path) {
  const auto damaged = [&](std::string_view what) {
    return IoError(fmt::format("cannot read {}: gzip data that {}", path.string(), what));
  };
  Inflater inflater;
  z_stream& stream = inflater.stream;
  std::string text;
  std::array<char, 1 << 16> buffer;
  bool complete = false;
  while (!complete || stream.avail_in > 0 || !content.empty()) {
    if (stream.avail_in == 0) {
      refill(stream, content);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_BUF_ERROR) {
      throw damaged("ends before it is complete");
    }
    if (status != Z_OK && status != Z_STREAM_END) {
      throw damaged("is damaged");
    }
    text.append(buffer.data(), buffer.size() - stream.avail_out);
    complete = status == Z_STREAM_END;
    if (complete) {
      inflateReset(&stream);
    }
  }
  return text;
}

}  // namespace tapehead

// Files that are damaged at random or made misleading; the same seed gives the same file.
#pragma once

#include <fstream>

#include "core/files/files.hpp"
#include "core/files/tensor_file.hpp"
#include "core/random/draws.hpp"

namespace tapehead {

// A sequence of random draws.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : draws_(seed, "tests.mutations", 0) {}
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(draw_below(draws_, next_++, static_cast<Index>(bound)));
  }
  template <class List>
  const auto& of(const List& list) {
    return list[below(list.size())];
  }

 private:
  Draws draws_;
  std::uint64_t next_ = 0;
};

inline void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

// Replacements for a number in a text.
inline const std::vector<std::string> hostile_values{
    "",
    "-1",
    "0",
    "1",
    "7",
    "100000",
    "999999999999",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e9",
    "1e999",
    "nan",
    "0x10",
    " 3",
    "null",
    "true",
    "[]",
    "{}",
    "\"x\"",
    "\x1b[2J",
    "\xff",
    std::string(300, '9'),
    std::string(100000, '['),
    std::to_string(std::bit_cast<Index>(std::numeric_limits<double>::quiet_NaN()))};

// Flips, cuts, duplicates or replaces a part of a text.
inline std::string damaged_text(std::string text, Choices& choices) {
  const std::size_t at = choices.below(text.size() + 1);
  const std::size_t count = std::min(choices.below(20), text.size() - at);
  switch (choices.below(6)) {
    case 0:
      return text.substr(0, at);
    case 1:
      return text.insert(at, choices.of(hostile_values));
    case 2:
      return text.erase(at, count);
    case 3:
      return text.insert(at, text.substr(at, count));
    case 4:
      return text.replace(at, count, count, '\0');
    default:
      if (at < text.size()) {
        text[at] = static_cast<char>(text[at] ^ (1 << choices.below(8)));
      }
      return text;
  }
}

// Replaces one of the text's numbers.
inline std::string with_other_number(std::string text, Choices& choices) {
  constexpr std::string_view digits = "0123456789";
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (digits.find(text[i]) != std::string::npos &&
        (i == 0 || digits.find(text[i - 1]) == std::string::npos)) {
      starts.push_back(i);
    }
  }
  if (starts.empty()) {
    return text;
  }
  const std::size_t start = choices.of(starts);
  const std::size_t end = std::min(text.find_first_not_of(digits, start), text.size());
  return text.replace(start, end - start, choices.of(hostile_values));
}

// CRC-32 of IEEE 802.3, bit by bit.
inline std::uint32_t plain_crc(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return ~crc;
}

// The tensor file with a correct checksum: eight hexadecimal digits for the header (with zeros in
// place of the checksum), a hyphen, eight digits for the data.
inline std::string resealed(std::string content) {
  constexpr std::size_t bytes_of_length = 8;
  constexpr std::string_view before = R"({"__metadata__":{"checksum":")";
  constexpr std::string_view blank = "00000000-00000000";
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), bytes_of_length);
  const std::size_t place = bytes_of_length + before.size();
  if (length > content.size() - bytes_of_length || place + blank.size() > content.size()) {
    return content;
  }
  const std::size_t head = bytes_of_length + length;
  content.replace(place, blank.size(), blank);
  const std::string checksum =
      fmt::format("{:08x}-{:08x}", plain_crc(std::string_view(content).substr(0, head)),
                  plain_crc(std::string_view(content).substr(head)));
  return content.replace(place, blank.size(), checksum);
}

// A token file (datasets/corpus/token_text.cpp): ids and document ends in `body`, then `facts`.
constexpr std::size_t token_signature = 16;  // bytes
struct TokenFile {
  std::string body;
  std::string facts;
};

inline std::string bytes_of(std::uint64_t number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

inline TokenFile token_file_in(const std::string& content) {
  std::uint64_t length = 0;
  const std::size_t end = content.size() - 2 * sizeof length;
  std::memcpy(&length, content.data() + end, sizeof length);
  return {.body = content.substr(0, end - length), .facts = content.substr(end - length, length)};
}

// The file's bytes with a correct checksum, for files up to 1 MiB.
inline std::string sealed(const TokenFile& file) {
  const std::string content = file.body + file.facts + bytes_of(file.facts.size());
  return content + bytes_of(Hash().add(content).value());
}

// Changes one fact or one number.
inline TokenFile with_other_fact(TokenFile file, Choices& choices) {
  if (choices.below(4) < 3) {
    file.facts = with_other_number(file.facts, choices);
    return file;
  }
  const std::array<std::uint64_t, 5> numbers{0, 1, 65535, std::uint64_t{1} << 40,
                                             ~std::uint64_t{0}};
  const std::size_t width =
      choices.below(2) == 0 ? 2 : sizeof(std::uint64_t);  // width of an id, or of a document end
  const std::size_t count = (file.body.size() - token_signature) / width;
  return {.body = file.body.replace(token_signature + width * choices.below(count), width,
                                    bytes_of(choices.of(numbers)).substr(0, width)),
          .facts = file.facts};
}

// A vocabulary file of this kind with correct count and digest
// (datasets/tokenizers/vocabulary.cpp).
inline std::string sealed_vocabulary(std::string_view kind, const std::string& body) {
  const auto lines =
      std::ranges::count(body, '\n') + (body.empty() || body.ends_with('\n') ? 0 : 1);
  return fmt::format("tapehead-vocabulary {} {} {:016x}\n{}", kind, lines, digest(body), body);
}

// A SentencePiece model file with its checksum (datasets/tokenizers/sentencepiece_tokenizer.cpp).
inline std::string sealed_model(const std::string& model) {
  return model + "\xC1\x3E" + bytes_of(digest(model));
}

// Changes a token file, vocabulary or SentencePiece model and keeps its checksum correct.
inline void change_sealed(const std::filesystem::path& path, Choices& choices) {
  const std::vector<std::string> kinds{"word",     "character",  "byte",
                                       "byte_bpe", "word_piece", "class"};
  const std::string content = read_file(path);
  if (path.extension() == ".tokens") {
    write_bytes(path, sealed(with_other_fact(token_file_in(content), choices)));
  } else if (path.extension() == ".vocabulary") {
    const std::string kind = content.substr(20, content.find(' ', 20) - 20);
    const std::string body = damaged_text(content.substr(content.find('\n') + 1), choices);
    write_bytes(path, sealed_vocabulary(choices.below(3) == 0 ? choices.of(kinds) : kind, body));
  } else {
    write_bytes(path, sealed_model(damaged_text(content.substr(0, content.size() - 10), choices)));
  }
}

// A tensor of a file that is to be rewritten.
struct LooseTensor {
  TensorEntry entry;
  std::string bytes;
};

inline void change_numbers(LooseTensor& tensor, Choices& choices) {
  constexpr float huge = std::numeric_limits<float>::max();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::array<float, 8> floats{
      std::numeric_limits<float>::quiet_NaN(), infinity, -infinity, huge, -huge, 1e30F, 1e-40F, 0};
  if (tensor.bytes.size() < sizeof(std::int64_t)) {
    return;
  }
  const std::array<std::int64_t, 5> counts{-1, 0, 1'000'000, std::int64_t{1} << 40,
                                           std::numeric_limits<std::int64_t>::min()};
  const bool whole = tensor.entry.dtype == DType::i64;
  const std::size_t width = whole ? sizeof(std::int64_t) : sizeof(float);
  const bool all = choices.below(4) == 0;
  const float real = choices.of(floats);
  const std::int64_t count = choices.of(counts);
  const void* const value = whole ? static_cast<const void*>(&count) : &real;
  const std::size_t chosen = choices.below(tensor.bytes.size() / width);
  for (std::size_t i = 0; i < tensor.bytes.size() / width; ++i) {
    if (all || i == chosen) {
      std::memcpy(tensor.bytes.data() + i * width, value, width);
    }
  }
}

inline void change_shape(LooseTensor& tensor, Choices& choices) {
  std::vector<Index>& shape = tensor.entry.shape;
  switch (choices.below(4)) {
    case 0:
      std::ranges::reverse(shape);
      break;
    case 1:
      shape.push_back(1);
      break;
    case 2:  // pairs of f32 as one i64
      if (!shape.empty() && shape.back() % 2 == 0 && tensor.entry.dtype == DType::f32) {
        shape.back() /= 2;
        tensor.entry.dtype = DType::i64;
      }
      break;
    default:
      if (!shape.empty() && shape.front() > 1) {
        tensor.bytes.resize(tensor.bytes.size() / static_cast<std::size_t>(shape.front()));
        shape.front() = 1;
      }
  }
}

// Rewrites the file with changed metadata, numbers, names or shapes, and a correct checksum.
inline void change_content(const std::filesystem::path& path, Choices& choices) {
  const TensorFile file(path);
  Metadata metadata = file.metadata();
  std::vector<LooseTensor> tensors;
  for (const TensorEntry& entry : file.entries()) {
    tensors.push_back(
        {.entry = entry,
         .bytes = {reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size()}});
  }
  auto value = metadata.begin();
  std::advance(value, static_cast<std::ptrdiff_t>(choices.below(metadata.size())));
  LooseTensor& tensor = tensors[choices.below(tensors.size())];
  switch (choices.below(6)) {
    case 0:
      value->second = choices.of(hostile_values);
      break;
    case 1:
      metadata.erase(value);
      break;
    case 2:
      change_shape(tensor, choices);
      break;
    case 3:
      std::swap(tensor.entry.name, tensors.front().entry.name);
      break;
    default:
      change_numbers(tensor, choices);
  }
  std::vector<TensorEntry> entries;
  for (const LooseTensor& loose : tensors) {
    entries.push_back(loose.entry);
    entries.back().bytes = std::as_bytes(std::span(loose.bytes));
  }
  try {
    write_tensor_file(path, entries, metadata);
  } catch (const IoError&) {
    write_bytes(path, "a text that cannot be written is no metadata");
  }
}

// Damages the file in one of many ways; half of them keep the checksum correct.
inline void mutate_tensor_file(const std::filesystem::path& path, Choices& choices) {
  const std::string content = read_file(path);
  switch (choices.below(6)) {
    case 0:
    case 1:
      return change_content(path, choices);
    case 2: {  // in the header
      std::uint64_t length = 0;
      std::memcpy(&length, content.data(), sizeof length);
      const std::string header = content.substr(sizeof length, length);
      const std::string other = choices.below(2) == 0 ? damaged_text(header, choices)
                                                      : with_other_number(header, choices);
      const std::uint64_t other_length = other.size();
      std::string changed(sizeof other_length, '\0');
      std::memcpy(changed.data(), &other_length, sizeof other_length);
      changed += other + content.substr(sizeof length + length);
      return write_bytes(path, resealed(changed));
    }
    default:
      return write_bytes(path, damaged_text(content, choices));
  }
}

}  // namespace tapehead

// The header of a safetensors file.

#include "core/files/tensor_file.hpp"

#include "core/files/json_text.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr std::string_view metadata_key = "__metadata__";

struct NamedType {
  std::string_view name;
  std::size_t width;
};

// In the order of DType. The types after BF16 are not in DType, since their values are never read.
constexpr NamedType types[] = {
    {"F32", 4},     {"F64", 8},     {"I64", 8},         {"F16", 2},        {"BF16", 2},
    {"BOOL", 1},    {"U8", 1},      {"I8", 1},          {"U16", 2},        {"I16", 2},
    {"U32", 4},     {"I32", 4},     {"U64", 8},         {"C64", 8},        {"F8_E4M3", 1},
    {"F8_E5M2", 1}, {"F8_E8M0", 1}, {"F8_E4M3FNUZ", 1}, {"F8_E5M2FNUZ", 1}};

// Bytes of a tensor by its shape. A size that does not fit in 64 bits is an error.
std::uint64_t byte_count(const TensorEntry& entry) {
  std::uint64_t bytes = byte_width(entry.dtype);
  for (const Index size : entry.shape) {
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes)) {
      throw IoError("tensor '{}' has the impossible shape ({})", entry.name,
                    join(entry.shape, ", "));
    }
  }
  return bytes;
}

// nlohmann's parser keeps the last of duplicate keys; here a duplicate key is an error.
Json parse_with_unique_keys(std::string_view text) {
  std::set<std::string> names;
  std::set<std::string> members;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > 3) {
      throw IoError("its header is nested too deeply for safetensors");
    }
    if (event == Json::parse_event_t::key) {
      if (depth == 1) {
        members.clear();
      }
      auto key = parsed.get<std::string>();
      if (!(depth == 1 ? names : members).insert(key).second) {
        throw IoError("its header gives '{}' twice", key);
      }
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), check);
  } catch (const Json::exception& error) {
    throw IoError("its header is not JSON ({})", error.what());
  }
}

DType read_dtype(const std::string& name, const Json& value) {
  const auto text = value.is_string() ? value.get<std::string>() : value.dump();
  const auto* const found = std::ranges::find(types, text, &NamedType::name);
  if (found == std::ranges::end(types)) {
    throw IoError("tensor '{}' has the type {}; the known ones are {}", name, text,
                  join(types | std::views::transform(&NamedType::name), ", "));
  }
  return static_cast<DType>(found - types);
}

std::vector<std::uint64_t> read_counts(const std::string& name, const Json& list) {
  const bool counts = list.is_array() && std::ranges::all_of(list, [](const Json& item) {
                        return item.is_number_unsigned();
                      });
  if (!counts) {
    throw IoError("tensor '{}' has {} instead of a list of counts", name, list.dump());
  }
  return list.get<std::vector<std::uint64_t>>();
}

TensorEntry read_entry(const std::string& name, const Json& value,
                       std::span<const std::byte> data) {
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets")) {
    throw IoError("tensor '{}' lacks one of dtype, shape, data_offsets", name);
  }
  TensorEntry entry{
      .name = name, .dtype = read_dtype(name, value["dtype"]), .shape = {}, .bytes = {}};
  const std::vector<std::uint64_t> shape = read_counts(name, value["shape"]);
  entry.shape.assign(shape.begin(), shape.end());
  const std::vector<std::uint64_t> offsets = read_counts(name, value["data_offsets"]);
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    throw IoError("tensor '{}' has impossible data_offsets", name);
  }
  if (offsets[1] > data.size()) {
    throw IoError("it is truncated: tensor '{}' ends at byte {} of the data, which has {}", name,
                  offsets[1], data.size());
  }
  entry.bytes = data.subspan(offsets[0], offsets[1] - offsets[0]);
  expect_bytes(entry);
  return entry;
}

void expect_cover(const std::vector<TensorEntry>& entries, std::span<const std::byte> data) {
  std::vector<std::span<const std::byte>> parts = mapped(entries, &TensorEntry::bytes);
  std::ranges::sort(parts, {},
                    [](const auto& part) { return std::pair(part.data(), part.size()); });
  const std::byte* end = data.data();
  for (const auto& part : parts) {
    if (part.data() != end) {
      throw IoError("its tensors overlap or leave gaps");
    }
    end += part.size();
  }
  const auto surplus = data.data() + data.size() - end;
  if (surplus != 0) {
    throw IoError("{} bytes follow its last tensor", surplus);
  }
}

}  // namespace

std::size_t byte_width(DType dtype) { return types[static_cast<std::size_t>(dtype)].width; }

std::string_view name_of(DType dtype) { return types[static_cast<std::size_t>(dtype)].name; }

bool is_real(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

void expect_bytes(const TensorEntry& entry) {
  const std::uint64_t expected = byte_count(entry);
  if (expected != entry.bytes.size()) {
    throw IoError("tensor '{}' of shape ({}) has {} bytes instead of {}", entry.name,
                  join(entry.shape, ", "), entry.bytes.size(), expected);
  }
}

std::string make_tensor_header(std::span<const TensorEntry> entries, const Metadata& metadata) {
  Json header;
  header[metadata_key]["checksum"] = blank_checksum;
  for (const auto& [key, value] : metadata) {
    if (key == "checksum") {
      throw IoError("the metadata key 'checksum' is reserved");
    }
    header[metadata_key][key] = value;
  }
  std::uint64_t begin = 0;
  for (const TensorEntry& entry : entries) {
    if (header.contains(entry.name)) {
      throw IoError("two tensors have the name '{}'", entry.name);
    }
    const std::uint64_t end = begin + byte_count(entry);
    header[entry.name] = {
        {"dtype", name_of(entry.dtype)}, {"shape", entry.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  try {
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    return text;
  } catch (const Json::exception& error) {
    throw IoError("a name or a metadata text is not UTF-8 ({})", error.what());
  }
}

TensorHeader read_tensor_header(std::string_view text, std::span<const std::byte> data) {
  const Json parsed = parse_with_unique_keys(text);
  if (!parsed.is_object()) {
    throw IoError("its header is not a table");
  }
  TensorHeader header;
  for (const auto& [name, value] : parsed.items()) {
    if (name == metadata_key) {
      if (!value.is_object() || !std::ranges::all_of(value, &Json::is_string)) {
        throw IoError("its __metadata__ is not a table of texts");
      }
      header.metadata = value.get<Metadata>();
    } else {
      header.entries.push_back(read_entry(name, value, data));
    }
  }
  expect_cover(header.entries, data);
  return header;
}

}  // namespace tapehead

#include "interchange/pretrained_files.hpp"

#include "core/text.hpp"

namespace tapehead {

bool TheirConfig::has(const char* setting) const {
  const auto found = json_.find(setting);
  return found != json_.end() && !found->is_null();
}

Index TheirConfig::count(const char* setting, std::optional<Index> otherwise) const {
  if (!has(setting)) {
    if (!otherwise) {
      refuse(setting, "it is missing");
    }
    return *otherwise;
  }
  constexpr Index most = 1'000'000'000;
  const auto& value = json_[setting];
  if (!value.is_number_integer() || value.get<Index>() < 1 || value.get<Index>() > most) {
    refuse(setting, fmt::format("{} is not a whole number from 1", shown(value.dump())));
  }
  return value.get<Index>();
}

const Json* TheirConfig::found(const char* setting, IsKind is_kind, const char* what) const {
  if (!has(setting)) {
    return nullptr;
  }
  const auto& value = json_[setting];
  if (!(value.*is_kind)()) {
    refuse(setting, fmt::format("{} is {}", shown(value.dump()), what));
  }
  return &value;
}

const Json& TheirConfig::list(const char* setting) const {
  static const Json none = Json::array();
  const auto* const list = found(setting, &Json::is_array, "no list");
  return list == nullptr ? none : *list;
}

std::string TheirConfig::first_text(const char* setting) const {
  const auto& items = list(setting);
  return !items.empty() && items.front().is_string() ? items.front().get<std::string>() : "";
}

std::vector<Index> TheirConfig::ids_in(const Json& list, const char* setting) const {
  return mapped(list, [&](const Json& id) {
    if (!id.is_number_unsigned()) {
      refuse(setting, fmt::format("{} is no id", shown(id.dump())));
    }
    return id.get<Index>();
  });
}

std::vector<std::vector<Index>> TheirConfig::id_lists(const char* setting) const {
  return mapped(list(setting), [&](const Json& ids) {
    if (!ids.is_array()) {
      refuse(setting, fmt::format("{} is no list of ids", shown(ids.dump())));
    }
    return ids_in(ids, setting);
  });
}

TheirConfig TheirConfig::group(const char* setting) const {
  static const Json none = Json::object();
  const auto* const settings = object(setting);
  TheirConfig group(settings == nullptr ? none : *settings, file_);
  group.group_ = fmt::format("{}{}.", group_, setting);
  return group;
}

void TheirConfig::expect(const char* setting, const Json& only) const {
  if (has(setting) && json_[setting] != only) {
    refuse(setting,
           fmt::format("{} is not supported, only {}", shown(json_[setting].dump()), only.dump()));
  }
}

void TheirConfig::refuse(const std::string& setting, const std::string& why) const {
  throw ConfigError("{}: {}{}: {}", file_.string(), group_, setting, why);
}

namespace {

// The distinct files that an index names. All must be in the directory of the index.
std::vector<fs::path> files_of_index(const fs::path& index) {
  const Json json = parse_json_file(index);
  const auto map = json.find("weight_map");
  if (map == json.end() || !map->is_object() || map->empty()) {
    throw IoError("{} has no weight_map", index.string());
  }
  std::set<fs::path> files;
  for (const auto& [tensor, file] : map->items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || fs::path(name).filename() != name || name == "..") {
      throw IoError("{}: the file of {} must be a file name in the same directory", index.string(),
                    shown(tensor));
    }
    files.insert(index.parent_path() / name);
  }
  return {files.begin(), files.end()};
}

std::vector<fs::path> tensor_files(const fs::path& directory) {
  const fs::path one = directory / "model.safetensors";
  const fs::path index = directory / "model.safetensors.index.json";
  if (fs::exists(one)) {
    return {one};
  }
  if (fs::exists(index)) {
    return files_of_index(index);
  }
  const bool pickled = fs::exists(directory / "pytorch_model.bin");
  throw IoError(
      "{} has no model.safetensors, and no model.safetensors.index.json{}", directory.string(),
      pickled ? "; pytorch_model.bin may hold any program, so it is not read: save the model with "
                "safe_serialization=True"
              : "");
}

std::string present_name(std::string name) {
  if (name.ends_with(".gamma")) {
    return name.replace(name.rfind('.'), name.npos, ".weight");
  }
  return name.ends_with(".beta") ? name.replace(name.rfind('.'), name.npos, ".bias") : name;
}

}  // namespace

PretrainedFiles::PretrainedFiles(fs::path directory) : directory_(std::move(directory)) {
  if (!fs::exists(config_file())) {
    throw IoError("{} is no model in Hugging Face's layout: it has no config.json",
                  directory_.string());
  }
  config_ = parse_json_file(config_file());
  if (!config_.is_object()) {
    throw IoError("{} is no JSON object", config_file().string());
  }
  for (const fs::path& file : tensor_files(directory_)) {
    files_.emplace_back(file, Trust::any);
  }
  for (const TensorFile& file : files_) {
    for (const TensorEntry& entry : file.entries()) {
      const std::string name = present_name(entry.name);
      if (find(name) != nullptr) {
        throw IoError("{} has the tensor {} twice", directory_.string(), shown(name));
      }
      tensors_.push_back({name, &entry});
    }
  }
}

void PretrainedFiles::leave_out_prefix(std::string_view prefix) {
  prefix_ = prefix;
  for (Named& tensor : tensors_) {
    tensor.name = std::string(without_prefix(tensor.name));
  }
}

std::string_view PretrainedFiles::without_prefix(std::string_view name) const {
  return name.starts_with(prefix_) ? name.substr(prefix_.size()) : name;
}

const TensorEntry* PretrainedFiles::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, without_prefix(name), &Named::name);
  return found == tensors_.end() ? nullptr : found->entry;
}

Index PretrainedFiles::numbers() const {
  std::size_t count = 0;
  for (const Named& tensor : tensors_) {
    count += tensor.entry->bytes.size() / byte_width(tensor.entry->dtype);
  }
  return static_cast<Index>(count);
}

}  // namespace tapehead

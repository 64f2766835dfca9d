// A reader of events that shares no code with their writer. The records of a file are read by the
// library; a test compares their bytes with TensorBoard's.
#pragma once

#include "tests/support/program.hpp"
#include "train/events/event.hpp"

namespace tapehead {

// Removes a little-endian number from the front of `bytes` and returns it.
template <class Number>
Number take_number(std::string_view& bytes) {
  if (bytes.size() < sizeof(Number)) {
    throw std::runtime_error("a number is incomplete");
  }
  Number number = 0;
  bytes.copy(reinterpret_cast<char*>(&number), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

inline std::string_view take_bytes(std::string_view& bytes, std::uint64_t count) {
  if (bytes.size() < count) {
    throw std::runtime_error("bytes are missing");
  }
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

// The fields of a protocol buffer message by field number, as numbers or as bytes.
struct ReadFields {
  explicit ReadFields(std::string_view message) {
    while (!message.empty()) {
      const std::uint64_t key = take_varint(message);
      const auto field = static_cast<int>(key >> 3);
      switch (key & 7) {
        case 0:
          numbers[field] = take_varint(message);
          break;
        case 1:
          numbers[field] = take_number<std::uint64_t>(message);
          break;
        case 2:
          bytes[field].emplace_back(take_bytes(message, take_varint(message)));
          break;
        case 5:
          numbers[field] = take_number<std::uint32_t>(message);
          break;
        default:
          throw std::runtime_error("an unknown type of field");
      }
    }
  }

  static std::uint64_t take_varint(std::string_view& message) {
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = take_number<std::uint8_t>(message);
      number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return number;
      }
    }
  }

  ReadFields inner(int field) const { return ReadFields(bytes.at(field).at(0)); }

  std::map<int, std::uint64_t> numbers;
  std::map<int, std::vector<std::string>> bytes;
};

struct ReadEvent {
  double seconds = 0;
  std::uint64_t step = 0;
  std::string format{};  // from the first event
  bool start = false;
  std::map<std::string, float> scalars{};
  std::map<std::string, std::vector<std::string>> texts{};

  bool operator==(const ReadEvent&) const = default;
};

inline ReadEvent to_event(std::string_view content) {
  const ReadFields fields(content);
  ReadEvent event{.seconds = std::bit_cast<double>(fields.numbers.at(1)),
                  .step = fields.numbers.at(2)};
  if (fields.bytes.contains(3)) {
    event.format = fields.bytes.at(3).at(0);
  }
  event.start = fields.bytes.contains(7) && fields.inner(7).numbers.at(1) == 1;
  if (fields.bytes.contains(5)) {
    const ReadFields summary = fields.inner(5);
    for (const std::string& bytes : summary.bytes.at(1)) {
      const ReadFields value(bytes);
      const std::string tag = value.bytes.at(1).at(0);
      if (value.numbers.contains(2)) {
        event.scalars[tag] = std::bit_cast<float>(static_cast<std::uint32_t>(value.numbers.at(2)));
      } else if (value.inner(9).inner(1).bytes.at(1).at(0) == "text") {
        event.texts[tag] = value.inner(8).bytes.at(8);
      }
    }
  }
  return event;
}

// The event files of a run, in the order of their names.
inline std::set<std::filesystem::path> event_files_of(const std::filesystem::path& run) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    if (entry.path().filename().string().find("tfevents") != std::string::npos) {
      files.insert(entry.path());
    }
  }
  return files;
}

inline std::vector<ReadEvent> read_event_file(const std::filesystem::path& file) {
  const std::string content = content_of(file);
  const Records records = read_records(content);
  if (!records.rest.empty()) {
    throw std::runtime_error("an event is incomplete or damaged");
  }
  return mapped(records.contents, to_event);
}

// The events of all files of a run.
inline std::vector<ReadEvent> read_events(const std::filesystem::path& run) {
  std::vector<ReadEvent> events;
  for (const std::filesystem::path& file : event_files_of(run)) {
    const std::vector<ReadEvent> more = read_event_file(file);
    events.insert(events.end(), more.begin(), more.end());
  }
  return events;
}

// The events with scalars, without their times: two trainings with the same config may differ in
// times.
inline std::vector<ReadEvent> measured(const std::vector<ReadEvent>& events) {
  std::vector<ReadEvent> result;
  for (ReadEvent event : events) {
    event.seconds = 0;
    if (!event.scalars.empty()) {
      result.push_back(std::move(event));
    }
  }
  return result;
}

}  // namespace tapehead

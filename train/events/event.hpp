// Events: what an event file holds, as tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto define it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/types.hpp"
#include "train/events/wire_message.hpp"

namespace tapehead {

struct EventTime {
  double seconds = 0;  // since 1970
  Index step = 0;
};

// The values of one event. Each has a tag; TensorBoard groups tags by what is before their first
// slash.
class Summary {
 public:
  void add_scalar(std::string_view tag, double value);  // rounded to float
  // Each text is shown as it is: as a code block of Markdown, with U+FFFD for bytes that are not
  // UTF-8.
  void add_texts(std::string_view tag, std::span<const std::string> texts);

  const WireMessage& message() const { return message_; }

 private:
  void add_value(const WireMessage& value);

  WireMessage message_;
};

// Events, encoded. The first of a file says its format.
std::string format_event(const EventTime& time);
// Readers drop what they have read of this step and of later ones.
std::string start_event(const EventTime& time);
std::string summary_event(const EventTime& time, const Summary& summary);

// The step of an event that one of these functions encoded; nothing for other bytes.
std::optional<Index> step_of_event(std::string_view event);

}  // namespace tapehead

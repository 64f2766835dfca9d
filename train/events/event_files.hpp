// The event files in a run's directory: their names, and how a resume cuts them back.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/types.hpp"

namespace tapehead {

// How event files' names begin. Readers take the files of a directory in the order of their names.
inline constexpr std::string_view event_file_prefix = "events.out.tfevents.";

// A name for another event file, after those that are there. Throws IoError.
std::filesystem::path next_event_file(const std::filesystem::path& directory);

// Removes what a training that goes on from `step` will write again: events of later steps, an
// incomplete last event and, with a warning, what follows a damaged one. A file of which nothing is
// left stays, because a reader that has it open would not go on to the next file. Throws IoError.
void truncate_event_files(const std::filesystem::path& directory, Index step);

}  // namespace tapehead

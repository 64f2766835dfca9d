// The standard streams: open from the start, and never written to with a loss that nobody hears of.
#pragma once

#include <string_view>

namespace tapehead {

// Opens those of the descriptors 0, 1 and 2 that are closed, so that no file that is opened later
// takes their place. They stay of no use: reading from 0 and writing to 1 fail, and what is written
// to 2 is gone. Throws IoError.
void open_closed_streams();

// Writes to standard output, which may hold it back until `flush_output`. Throws IoError.
void write_output(std::string_view text);

// Throws IoError where any of the output could not be written.
void flush_output();

// Writes to standard error. Where that is full, or gone, there is nobody to tell.
void write_message(std::string_view text);

}  // namespace tapehead

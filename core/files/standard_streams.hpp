// The standard streams: they are open from the start, and failed writes to standard output are
// reported.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Opens the descriptors 0, 1 and 2 where they are closed, so that no later file gets their number.
// They stay unusable: reading from 0 and writing to 1 fail, and what is written to 2 is discarded.
// Throws IoError.
void open_closed_streams();

// Writes to standard output, which may be buffered until `flush_output`. Throws IoError.
void write_output(std::string_view text);

// Throws IoError if any of the output could not be written.
void flush_output();

// Writes to standard error. Failures are ignored, since they cannot be reported anywhere.
void write_message(std::string_view text);

}  // namespace tapehead

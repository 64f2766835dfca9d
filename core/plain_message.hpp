// The message of an error, for people. Those of the C++ library name no remedy, and some nothing
// but a function.
#pragma once

#include <exception>
#include <string>

namespace tapehead {

// Plain words for lack of memory and for errors of std::filesystem, with the path if the error
// knows it; the message of any other error as it is.
std::string plain_message(const std::exception& error);

}  // namespace tapehead

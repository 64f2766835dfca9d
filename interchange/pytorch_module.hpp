// The Python that every export for PyTorch gets: python/tapehead_torch.py, embedded in the program
// when it is built (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace tapehead {

extern const std::string_view pytorch_module;

}  // namespace tapehead

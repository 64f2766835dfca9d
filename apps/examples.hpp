// The configs and sweeps that come with the program.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

enum class ExampleFile { config, sweep };

// The folder of the examples: configs of the checkout in which the program was built, or
// share/tapehead/configs of an installation. Throws ConfigError if there is none.
fs::path example_folder();

// The file of the example with this name, such as "copy". Throws ConfigError, listing the existing
// names, if there is no such example.
fs::path find_example(const std::string& name, ExampleFile kind);

}  // namespace tapehead

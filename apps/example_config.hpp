// The configs that come with the program.
#pragma once

#include <filesystem>
#include <string>

namespace tapehead {

// The config of this name, such as "copy": from the folder configs of the checkout that the program
// was built in, or from share/tapehead/configs where it is installed. Throws ConfigError that lists
// the names there are.
std::filesystem::path example_config(const std::string& name);

}  // namespace tapehead

// The command line as others are told of it: pages of the manual, and completion in a shell. All
// is taken from the declarations of commands and options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tapehead {

// tapehead(1), in the macros of man(7).
std::string man_page(const CLI::App& program, const std::vector<const CLI::App*>& commands);

// tapehead-train(1) and so on.
std::string man_page_of_command(const CLI::App& command);

// Scripts that bash and zsh load.
std::string bash_completion(const std::vector<const CLI::App*>& commands);
std::string zsh_completion(const std::vector<const CLI::App*>& commands);

}  // namespace tapehead

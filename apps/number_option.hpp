// Command-line options that take numbers, which are parsed and checked like those of a config.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "core/fields.hpp"
#include "core/types.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

// An option `field.name`, such as "--beam", whose value is stored where `cell` points to. While the
// command line is parsed, it throws ConfigError for a value that is not a number (nan and inf are
// not) or is out of the field's range. The help shows the default if it is in the range; a default
// outside the range means that the option was not given.
CLI::Option* add_number_option(CLI::App& command, const Field& field, const Cell& cell);

// An option that takes several whole numbers.
CLI::Option* add_numbers_option(CLI::App& command, const Field& field, std::vector<Index>& numbers);

// --threads, for every command that computes.
CLI::Option* add_threads_option(CLI::App& command, Index& threads,
                                std::string_view help = "Worker threads");

}  // namespace tapehead

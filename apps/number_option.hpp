// Options of the command line that take numbers: they are read and refused as those of a config.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "core/fields.hpp"
#include "core/types.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

// An option `field.name`, such as "--beam", whose value goes to what `cell` points to. Throws
// ConfigError, while the command line is parsed, for what is no number (nan and inf are none) or
// out of the field's range. Help shows the default where that is in the range: one that is not
// means that the option was not given.
CLI::Option* add_number_option(CLI::App& command, const Field& field, const Cell& cell);

// One that takes several whole numbers.
CLI::Option* add_numbers_option(CLI::App& command, const Field& field, std::vector<Index>& numbers);

// --threads, of every command that computes.
CLI::Option* add_threads_option(CLI::App& command, Index& threads,
                                std::string_view help = "Worker threads");

}  // namespace tapehead

// The options of gradcheck, which two programs declare: the one that checks, and the one that
// describes all commands.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tapehead {

struct GradcheckArguments {
  std::filesystem::path config;
  std::vector<std::string> overrides;
  std::string only = "*";
  std::uint64_t seed = 1;
  bool json = false;
};

// Adds the command. It stores what it is given in `arguments`.
CLI::App* declare_gradcheck(CLI::App& program, GradcheckArguments& arguments);

}  // namespace tapehead

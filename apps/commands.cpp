#include "apps/commands.hpp"

#include <map>

namespace tapehead {

namespace {

// By their places. Commands of all files are added before main begins.
std::multimap<int, Command::Add>& all_commands() {
  static std::multimap<int, Command::Add> commands;
  return commands;
}

}  // namespace

Command::Command(int place, Add add) { all_commands().emplace(place, add); }

void add_commands(CLI::App& program, Outcome& outcome, Launch& launch) {
  for (const auto& [place, add] : all_commands()) {
    add(program, outcome, launch);
  }
}

}  // namespace tapehead

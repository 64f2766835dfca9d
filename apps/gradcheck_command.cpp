// tapehead gradcheck: runs the program tapehead-gradcheck beside it. That program is built in
// double precision, so that training needs no second build of the library.
#include <unistd.h>
#include <cerrno>

#include "apps/commands.hpp"
#include "core/files/process.hpp"

namespace tapehead {

namespace {

// Always throws.
void hand_over(std::vector<std::string> words) {
  const auto program = own_program().parent_path() / "tapehead-gradcheck";
  words.insert(words.begin(), "gradcheck");
  StartCommand start = start_again(std::move(words), program);
  std::vector<char*> argv = mapped(start.words, [](std::string& word) { return word.data(); });
  argv.push_back(nullptr);
  flush_output();
  execv(start.file.c_str(), argv.data());
  throw IoError(
      "cannot start {}: {}; build the CMake target tapehead-gradcheck, and keep the "
      "program beside tapehead",
      program.string(), std::strerror(errno));
}

}  // namespace

const Command gradcheck_command(180, [](CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("gradcheck", "Check the gradients of a config's model");
  command->set_help_flag();  // the other program prints its help
  command->prefix_command();
  command->callback([command] { hand_over(command->remaining()); });
});

}  // namespace tapehead

#include "apps/launch.hpp"

#include "core/text.hpp"

namespace tapehead {

void expect_takes(const Ranks& ranks, std::string_view command) {
  // `rank_steps` is a command of tapehead_bench.
  const bool shared = command == "train" || command == "sweep" || command == "rank_steps" ||
                      command.starts_with('-');
  if (ranks.count() > 1 && !shared) {
    throw ConfigError(
        "{} does not work with several ranks, only train and sweep do; start it without a launcher",
        shown(command));
  }
}

std::string launch_words(const Ranks& ranks) {
  if (ranks.count() == 1) {
    return "";
  }
  const bool mpich = ranks.library().starts_with(library_of(Launcher::mpich));
  return fmt::format("mpirun.{} -n {} ", mpich ? "mpich" : "openmpi", ranks.count());
}

}  // namespace tapehead

#include "apps/launch.hpp"

#include "core/files/input_output.hpp"
#include "core/ranks/launcher.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

class AloneLaunch : public Launch {
 public:
  Ranks& ranks() override { return alone(); }
  void set_deadline(double /*seconds*/) override {}  // no other rank to wait for
  int end(const RankEnd& mine) override {
    write_message(error_line(mine));
    return mine.exit_code;
  }
};

}  // namespace

void Launch::expect_takes(std::string_view command) {
  const bool shared = command == "train" || command == "sweep" || command.starts_with('-');
  if (ranks().count() > 1 && !shared) {
    throw ConfigError(
        "{} does not work with several ranks, only train and sweep do; start it without a launcher",
        shown(command));
  }
}

std::string Launch::words() {
  if (ranks().count() == 1) {
    return "";
  }
  const bool mpich = ranks().library().starts_with(library_of(Launcher::mpich));
  return fmt::format("mpirun.{} -n {} ", mpich ? "mpich" : "openmpi", ranks().count());
}

std::unique_ptr<Launch> launch_alone() { return std::make_unique<AloneLaunch>(); }

}  // namespace tapehead

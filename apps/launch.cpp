#include "apps/launch.hpp"

#include "core/files/standard_streams.hpp"

namespace tapehead {

namespace {

class AloneLaunch : public Launch {
 public:
  Ranks& ranks() override { return alone(); }
  void set_deadline(double /*seconds*/) override {}  // there is nobody to wait for
  int end(const RankEnd& mine) override {
    write_message(error_line(mine));
    return mine.exit_code;
  }
};

}  // namespace

std::unique_ptr<Launch> launch_alone() { return std::make_unique<AloneLaunch>(); }

}  // namespace tapehead

// Which of a training's checkpoints stay, in the notation of a config.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// "2": the newest two. "2 every 10": also each tenth, for good. "all": all.
class KeptCheckpoints {
 public:
  static constexpr std::string_view notation =
      "N, the newest ones; N every K, also each K-th for good; or all; N and K from 1 to 1000";
  static constexpr bool also_number = true;

  KeptCheckpoints() = default;
  explicit KeptCheckpoints(Index newest) : newest_(newest) {}
  // Throws ConfigError that says only what is wrong.
  explicit KeptCheckpoints(std::string_view text);

  std::string text() const;
  // Whether the `number`-th checkpoint of a training stays when it has `newer` newer ones.
  bool keep(Index number, Index newer) const {
    return newer < newest_ || (every_ > 0 && number % every_ == 0);
  }

  bool operator==(const KeptCheckpoints&) const = default;

 private:
  Index newest_ = 2;
  Index every_ = 0;  // 0: none for good
};

}  // namespace tapehead

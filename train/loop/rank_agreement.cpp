#include "train/loop/rank_agreement.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/files.hpp"
#include "core/files/hash.hpp"
#include "core/ranks/sharing.hpp"
#include "core/shown.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/config/config.hpp"
#include "train/output/text_table.hpp"
#include "train/run/identity.hpp"

namespace tapehead {

namespace {

constexpr std::string_view program_file = "/proc/self/exe";

// The first line in which two texts differ, as the second has it.
std::string_view differing_line(std::string_view one, std::string_view other) {
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(one, other).in2 - other.begin());
  const std::size_t begin = at == 0 ? 0 : other.rfind('\n', at - 1) + 1;
  return other.substr(begin, other.find('\n', at) - begin);
}

// Throws if a rank's text is not that of rank 0. `shown` makes of both what the message says.
template <class Shown>
void expect_same(Ranks& ranks, std::string_view what, std::string_view mine, const Shown& shown) {
  const std::vector<std::string> texts = share_texts(ranks, mine);
  for (std::size_t rank = 1; rank < texts.size(); ++rank) {
    if (texts[rank] != texts.front()) {
      throw RankError(fmt::format("{} has another {} than {}{}; all must have the same",
                                  ranks.name(static_cast<Index>(rank)), what, ranks.name(0),
                                  shown(texts.front(), texts[rank])));
    }
  }
}

}  // namespace

void expect_same_training(Ranks& ranks, const Config& config, const Task& task,
                          const BlasInfo& blas) {
  if (ranks.count() == 1) {
    return;
  }
  const auto nothing = [](std::string_view, std::string_view) { return std::string(); };
  const auto both = [](std::string_view first, std::string_view other) {
    return fmt::format(" ({}, not {})", shown(other), shown(first));
  };
  const auto lines = [](std::string_view first, std::string_view other) {
    return fmt::format(": '{}', not '{}'", shown(differing_line(first, other)),
                       shown(differing_line(other, first)));
  };
  expect_same(ranks, "program", Hash().add(read_file(program_file)).hexadecimal(), nothing);
  expect_same(ranks, "version of OpenBLAS", blas.version, both);
  expect_same(ranks, "set of kernels of OpenBLAS", blas.kernels, both);
  expect_same(ranks, "version of the C library", ::gnu_get_libc_version(), both);
  expect_same(ranks, "config", dump_config(config), lines);
  const Identity identity =
      identity_of(config, {task.source_tokenizer, task.target_tokenizer}, task.fingerprint);
  std::string facts;
  for (const auto& [name, value] : identity.facts) {
    facts += fmt::format("{}: {}\n", name, value);
  }
  expect_same(ranks, "data or tokenizer", facts, lines);
}

std::string ranks_text(const Ranks& ranks, Index shards, double bytes_sent) {
  const Index count = ranks.count();
  if (count == 1) {
    return "";
  }
  const Index least = shards / count;
  std::string text = fmt::format(
      "{} on {}, {}{} shards each; rank 0 sends {}B a step", count, ranks.library(), least,
      shards % count == 0 ? "" : fmt::format(" or {}", least + 1), format_count(bytes_sent));
  if (count > shards) {
    text += fmt::format(" ({} without a shard, only waiting: training.shards: {} would use all)",
                        counted(count - shards, "rank"), count);
  } else if (shards % count != 0) {
    text += fmt::format(" (some ranks wait for others: training.shards: {} would occupy all)",
                        (least + 1) * count);
  }
  return text;
}

}  // namespace tapehead

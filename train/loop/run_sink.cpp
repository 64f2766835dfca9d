#include "train/loop/run_sink.hpp"

#include <gnu/libc-version.h>

#include "core/files/process.hpp"
#include "core/text.hpp"
#include "train/output/text_table.hpp"
#include "train/step/trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The first line of `other` that differs from `one`.
std::string_view differing_line(std::string_view one, std::string_view other) {
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(one, other).in2 - other.begin());
  const std::size_t begin = at == 0 ? 0 : other.rfind('\n', at - 1) + 1;
  return other.substr(begin, other.find('\n', at) - begin);
}

// Throws if a rank's text differs from that of rank 0. `shown` formats both for the message.
void expect_same(Ranks& ranks, std::string_view what, std::string_view mine, const auto& shown) {
  const std::vector<std::string> texts = share_texts(ranks, mine);
  for (std::size_t rank = 1; rank < texts.size(); ++rank) {
    if (texts[rank] != texts.front()) {
      throw RankError("{} has another {} than {}{}; all ranks must have the same",
                      ranks.name(static_cast<Index>(rank)), what, ranks.name(0),
                      shown(texts.front(), texts[rank]));
    }
  }
}

}  // namespace

void RunSink::open(const Config& config, const Task& task, const BlasInfo& blas) {
  if (ranks_.count() == 1) {
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
  expect_same(ranks_, "program", Hash().add(read_file(running_file())).hexadecimal(), nothing);
  expect_same(ranks_, "version of OpenBLAS", blas.version, both);
  expect_same(ranks_, "set of kernels of OpenBLAS", blas.kernels, both);
  expect_same(ranks_, "version of the C library", ::gnu_get_libc_version(), both);
  expect_same(ranks_, "config", dump_config(config), lines);
  expect_same(ranks_, "kernel for bfloat16", unit_name(config.training.precision), both);
  const Identity identity =
      identity_of(config, {task.source_tokenizer, task.target_tokenizer}, task.fingerprint);
  std::string facts;
  for (const auto& [name, value] : identity.facts) {
    facts += fmt::format("{}: {}\n", name, value);
  }
  expect_same(ranks_, "data or tokenizer", facts, lines);
}

RunSink::Begin RunSink::begin(const Config&, const Task&, const TrainingState& state, Model&) {
  Begin begin;
  share(begin, nullptr, state);
  return begin;
}

void RunSink::share(Begin& begin, const TensorFile* checkpoint, const TrainingState& state) {
  share_training(checkpoint, state, begin.position, ranks_);
  begin.elapsed = value_of_first(ranks_, begin.elapsed);
  begin.best = value_of_first(ranks_, begin.best);
}

void RunSink::save(const TrainingState& state, const TrainingPosition& position, double, bool) {
  expect_finite_weights(state.store, position.step);
  expect_same_weights(state.store, position.step, ranks_);
  const EntryBytes bytes_of = entry_bytes(state, ranks_);
  for (const TensorEntry& entry : in_file_order(training_entries(state))) {
    bytes_of(entry);
  }
}

std::string RunSink::keep_for_replay(const Replay&, const ParameterStore&) {
  return text_of_first(ranks_, "");
}

fs::path RunSink::load_final_weights(ParameterStore& store) {
  share_weights(store, ranks_);
  return text_of_first(ranks_, "");
}

std::string RunSink::row(Index shards, double bytes_sent) const {
  const Index count = ranks_.count();
  if (count == 1) {
    return "";
  }
  const Index least = shards / count;
  std::string text = fmt::format(
      "{} on {}, {}{} shards each; rank 0 sends {}B a step", count, ranks_.library(), least,
      shards % count == 0 ? "" : fmt::format(" or {}", least + 1), format_count(bytes_sent));
  if (count > shards) {
    text +=
        fmt::format(" ({} only waiting, without a shard; training.shards: {} would use all ranks)",
                    counted(count - shards, "rank"), count);
  } else if (shards % count != 0) {
    text +=
        fmt::format(" (some ranks wait for others; training.shards: {} would keep all ranks busy)",
                    (least + 1) * count);
  }
  return text;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

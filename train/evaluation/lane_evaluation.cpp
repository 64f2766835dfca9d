#include "train/evaluation/lane_evaluation.hpp"

#include <algorithm>

#include "datasets/loader.hpp"
#include "nn/lane_memory.hpp"
#include "train/options/layout.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// So many times as long as its memory and a window is a lane, at least.
constexpr Index least_length = 16;

}  // namespace

Split evaluation_lanes(const Split& split, Index memory, Index batch_tokens) {
  expect_one_stream(split, "evaluation.memory");
  const Index context = split.windows.windowing.context;
  const Index tokens = split.windows.list.size() * context;
  const Index long_enough = tokens / (least_length * (context + memory));
  const Index most = std::min(lanes_of_batch(batch_tokens, context), split.windows.list.size());
  return in_lanes(split, split.windows.list.size(),
                  std::clamp<Index>(long_enough, 1, std::max<Index>(1, most)), memory, context);
}

std::vector<LaneGroup> evaluation_groups(const Split& split, Index d_model) {
  return lane_groups(split.windows.list.runs(),
                     lanes_of_batch(part_rows(d_model), split.windows.windowing.context));
}

void read_lanes(const Transformer& model, const ParameterStore& store, const Split& split,
                const LaneGroup& group,
                const std::function<void(const Batch&, const CrossEntropy&)>& visit,
                std::optional<Index> most_batches) {
  const Layout layout = layout_of(model.options());
  LaneMemory memory({.lanes = group.count,
                     .layers = std::ssize(model.main().layers),
                     .rows = split.windows.memory,
                     .d_model = model.options().d_model});
  const auto batches = lane_batches(split.windows.list, group);
  const Index count = std::min(std::ssize(batches), most_batches.value_or(std::ssize(batches)));
  for (Index i = 0; i < count; ++i) {
    Batch batch = make_batch(split, batches[static_cast<std::size_t>(i)], layout);
    for (Index& lane : batch.input.lanes) {
      lane -= group.first;
    }
    Tape tape(false);
    Pass pass(tape, store);
    pass.memory = &memory;
    visit(batch, batch_loss(model, pass, batch));
    memory.commit();
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

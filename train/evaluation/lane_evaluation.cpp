#include "train/evaluation/lane_evaluation.hpp"

#include <algorithm>

#include "datasets/loader.hpp"
#include "nn/lane_memory.hpp"
#include "train/options/layout.hpp"
#include "train/step/shards.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// So many times as long as its memory and a window is a lane, at least.
constexpr Index least_length = 16;

}  // namespace

Split evaluation_lanes(const Split& split, Index memory, Index batch_tokens) {
  const Index context = split.windows.windowing.context;
  const Index tokens = split.windows.list.size() * context;
  const Index long_enough = tokens / (least_length * (context + memory));
  const Index most = std::min(lanes_of_batch(batch_tokens, context), split.windows.list.size());
  return in_lanes(split, std::clamp<Index>(long_enough, 1, std::max<Index>(1, most)), memory,
                  context);
}

std::vector<LaneGroup> evaluation_groups(const Split& split, Index d_model) {
  return lane_groups(split.windows.list.runs(),
                     lanes_of_batch(part_rows(d_model), split.windows.windowing.context));
}

void read_lanes(const Transformer& model, const ParameterStore& store, const Split& split,
                const LaneGroup& group,
                const std::function<void(const Batch&, const CrossEntropy&)>& visit) {
  const Layout layout = layout_of(model.options());
  LaneMemory memory({.lanes = group.count,
                     .layers = std::ssize(model.main().layers),
                     .rows = split.windows.memory,
                     .d_model = model.options().d_model});
  for (const std::vector<Index>& windows : lane_batches(split.windows.list, group)) {
    Batch batch = make_batch(split, windows, layout);
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

}  // namespace tapehead::inline TAPEHEAD_PRECISION

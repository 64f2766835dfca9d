#include "train/evaluation/lane_evaluation.hpp"

#include <algorithm>

#include "datasets/loader.hpp"
#include "nn/lane_memory.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Index EvaluationLanes::longest() const {
  Index windows = 0;
  for (Index lane = 0; lane < list.runs(); ++lane) {
    windows = std::max(windows, list.count_of(lane));
  }
  return windows * context;
}

EvaluationLanes evaluation_lanes(const Split& split, Index memory, Index batch_tokens) {
  expect_one_stream(split.text, "evaluation.memory", split.name);
  constexpr Index least_length = 16;  // of a lane, in lengths of its memory and a window together
  const Index context = split.text.windowing.context;
  const Index windows = split.size();
  const Index long_enough = windows * context / (least_length * (context + memory));
  const Index most = std::min(lanes_of_batch(batch_tokens, context), windows);
  const Index lanes = std::clamp<Index>(long_enough, 1, std::max<Index>(1, most));
  return {in_lanes(split.text, windows, lanes, memory, context), context, memory};
}

std::vector<LaneGroup> evaluation_groups(const EvaluationLanes& lanes, Index d_model) {
  return lane_groups(lanes.list.runs(), lanes_of_batch(part_rows(d_model), lanes.context));
}

void read_lanes(const Model& model, const EvaluationLanes& lanes, const LaneGroup& group,
                const std::function<void(const Batch&, const CrossEntropy&)>& visit,
                std::optional<Index> most_batches) {
  LaneMemory memory({.lanes = group.count,
                     .layers = std::ssize(model.transformer.main().layers),
                     .rows = lanes.memory,
                     .d_model = model.transformer.options().d_model});
  const auto batches = lane_batches(lanes.list, {group});
  const Index count = std::min(std::ssize(batches), most_batches.value_or(std::ssize(batches)));
  for (Index i = 0; i < count; ++i) {
    Batch batch = pack(*lanes.source, batches[static_cast<std::size_t>(i)]);
    for (Index& lane : batch.input.lanes) {
      lane -= group.first;
    }
    Tape tape(false);
    Pass pass(tape, model.store);
    pass.memory = &memory;
    visit(batch, batch_loss(model.transformer, pass, batch));
    memory.commit();
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

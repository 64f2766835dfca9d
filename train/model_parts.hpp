// The parts of a model and what each of them costs, in closed form: its parameters, and the
// multiply-adds of a training step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/task.hpp"
#include "train/step_flops.hpp"

namespace tapehead {

// What a step computes on: rows, which are tokens, and pairs of a query and a key.
struct StepRows {
  double source = 0;
  double target = 0;
  double source_pairs = 0;
  double target_pairs = 0;
  double cross_pairs = 0;
};
StepRows rows_of(const Batch& batch);
StepRows mean_rows(const Split& split, Index steps);  // when its examples make so many steps

struct ModelPart {
  std::string name;                // such as "cross-attention, layers 0 to 3"
  std::vector<std::string> paths;  // what modules and parameters that belong to it begin with
  Index parameters = 0;            // that the parts before it do not have as well
  double multiply_adds = 0;        // of matrix products, forward and backward
};

// In the order in which a pass meets them; layers that are alike are one part. The options must be
// resolved.
std::vector<ModelPart> model_parts(const ModelOptions& options, Index source_vocabulary,
                                   Index target_vocabulary, const StepRows& rows);

// The number of the part that a module belongs to.
std::size_t part_of(const std::vector<ModelPart>& parts, std::string_view path);

}  // namespace tapehead

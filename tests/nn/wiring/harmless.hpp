// Correct models that must have no findings: each base model, whole and in shards, and the building
// blocks of faults put together correctly.
#pragma once

#include "tests/nn/wiring/fault.hpp"
#include "tests/nn/wiring/pieces.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline std::vector<Fault> right_models() {
  std::vector<Fault> models;
  for (const auto& [name, base] :
       {std::pair("PreNorm", Base::pre_norm), std::pair("PostNorm", Base::post_norm),
        std::pair("Tied", Base::tied), std::pair("Shared", Base::shared),
        std::pair("Dropout", Base::dropout)}) {
    models.push_back({.name = name, .what = "nothing", .base = base, .plant = [](WiredModel&) {}});
    models.push_back({.name = std::string(name) + "InShards",
                      .what = "three shards",
                      .base = base,
                      .plant = [](WiredModel& model) { model.shares = {1, 1, 1}; }});
  }
  return models;
}

inline std::vector<Fault> harmless_changes() {
  std::vector<Fault> changes = right_models();
  changes.push_back({.name = "CrossAttentionTakenApart",
                     .what = "projections, attention and output one by one",
                     .plant = [](WiredModel& model) {
                       model.connections["decoder.layers.1.cross"] = around(
                           [&model](Run& run, const Var& normed, const Rows& rows, const Block&) {
                             const CrossPieces cross(run, model.decoder[1].cross->attention,
                                                     run.pass, normed, rows);
                             return cross.output(with_gradient_of(cross.right(), cross.right()));
                           });
                     }});
  changes.push_back(
      {.name = "FeedForwardTakenApart", .what = "leaves handed in", .plant = [](WiredModel& model) {
         model.connections["decoder.layers.1.feed_forward"] =
             around([&model](Run& run, const Var& normed, const Rows&, const Block&) {
               const FeedForward& block = model.decoder[1].feed_forward->block;
               return feed_forward_with(run, block, normed, run.pass.parameter(block.inner_weight),
                                        run.pass.parameter(block.inner_bias));
             });
       }});
  changes.push_back(
      {.name = "NormTakenApart", .what = "the gain handed in", .plant = [](WiredModel& model) {
         model.connections["decoder.layers.0.cross"] =
             [](Run& run, const Residual& of, const Var& x, const Rows&, const Block& block) {
               return with_gain_of(run.pass, run, of, x, block);
             };
       }});
  changes.push_back({.name = "SumTakenApart",
                     .what = "the residual sum by itself",
                     .plant = [](WiredModel& model) {
                       model.connections["decoder.layers.1.cross"] =
                           summed_by([](const Var& x, const BlockOutput& out) {
                             return residual(x, out.value, out.bias);
                           });
                     }});
  return changes;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring

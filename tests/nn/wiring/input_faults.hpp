// Faults in the model's inputs and outputs; the gradient is correct for the faulty computation.
#pragma once

#include "core/ops/embedding.hpp"
#include "tests/nn/wiring/fault.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline std::vector<Fault> input_faults() {
  return {
      {.name = "PositionsOffByOne",
       .what = "the target's positions count from 1",
       .plant =
           [](WiredModel& model) {
             model.embed_target = [&model](Run& run) {
               Segments later = run.batch.input.segments;
               for (Segment& segment : later.list) {
                 ++segment.position;
               }
               return (*model.target)(run.pass, {run.batch.input.ids, later});
             };
           }},
      {.name = "PositionsOfTheBatch",
       .what = "the source's positions count on from sentence to sentence",
       .plant =
           [](WiredModel& model) {
             model.embed_source = [&model](Run& run) {
               const Segments one = segments_of({run.batch.context.rows()});
               return (*model.source)(run.pass, {run.batch.context.ids, one});
             };
           }},
      {.name = "ScaleMissing",
       .what = "the source embedding is not multiplied by √D",
       .plant =
           [](WiredModel& model) {
             model.embed_source = [&model](Run& run) {
               const TokenEmbedding& embedding = *model.source;
               const Var rows = lookup(run.pass.parameter(embedding.table), run.batch.context.ids);
               const Var sines = run.pass.tape().constant(embedding.sinusoidal);
               return add_positions(rows, sines, run.batch.context.segments);
             };
           }},
      {.name = "SmoothingMissing",
       .what = "the loss has no label smoothing",
       .plant = [](WiredModel& model) { model.label_smoothing = 0; }},
      {.name = "TargetNotShifted",
       .what = "the decoder is given the tokens that it should predict",
       .plant = [](WiredModel& model) { model.batch.input.ids = model.batch.labels.ids; }},
      {.name = "SourceOfTheNextSentence",
       .what = "each sentence attends to the source of the next",
       .plant =
           [](WiredModel& model) {
             model.attended = [](const Segments& sources) {
               Segments next = sources;
               std::ranges::rotate(next.list, next.list.begin() + 1);
               return next;
             };
           }},
  };
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring

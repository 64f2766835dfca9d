// The public API: for all that the command line does, and for your own ops, layers, models and
// trainings. For targets linked with tapehead::float or tapehead::double.
#pragma once

#include "core/files/tensor_file.hpp"
#include "core/kernel/workers.hpp"
#include "core/ops/activation.hpp"
#include "core/ops/arithmetic.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/embedding.hpp"
#include "core/ops/linear.hpp"
#include "core/ops/residual.hpp"
#include "core/ops/softmax.hpp"
#include "core/random/draws.hpp"
#include "core/sequence/batch.hpp"
#include "core/tape/anomaly.hpp"
#include "core/tape/parameters.hpp"
#include "core/tape/tape.hpp"
#include "datasets/loader.hpp"
#include "datasets/make_task.hpp"
#include "datasets/synthetic/symbols.hpp"
#include "datasets/task.hpp"
#include "datasets/text/parallel_options.hpp"
#include "datasets/text/text_options.hpp"
#include "interchange/tokenizers/pretrained_tokenizers.hpp"
#include "lab/heads/head_history.hpp"
#include "lab/heads/head_report.hpp"
#include "lab/inspection/inspection.hpp"
#include "lab/removal/head_importance.hpp"
#include "lab/report/page.hpp"
#include "lab/report/run.hpp"
#include "nn/generation/decoding.hpp"
#include "nn/pass.hpp"
#include "nn/transformer/transformer.hpp"
#include "predict/predictor.hpp"
#include "train/config/config.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/experiment.hpp"
#include "train/loop/training.hpp"
#include "train/model_training.hpp"
#include "train/step/optimizer.hpp"
#include "train/step/trainer.hpp"
#include "train/step/training_position.hpp"

namespace tapehead {

// Deprecated in favour of `pack`; kept for one version.
inline Batch make_batch(const Split& split, const std::vector<Index>& examples) {
  return pack(*split.source, examples);
}

// Deprecated in favour of Predictor; kept for one version.
class Translator {
 public:
  Translator(const RunEnsemble& runs, Workers& workers) : predictor_(runs, workers) {}
  std::vector<std::vector<Translation>> translate(std::span<const std::string> lines) const {
    return predictor_.translate(predictor_.read(lines));
  }

 private:
  Predictor predictor_;
};

}  // namespace tapehead

// The config with all its sections, and the options of the section `run`.
#pragma once

#include "datasets/task.hpp"
#include "nn/options/model_options.hpp"
#include "train/metrics/evaluation_options.hpp"
#include "train/options/training_options.hpp"

namespace tapehead {

struct RunOptions {
  double log_seconds = 5;
  bool anomaly = false;
  bool report = true;
  bool tensorboard = false;

  void fields(const auto& row) {
    row(log_seconds, named("log_seconds", 0, 86400, "seconds"),
        "seconds between progress lines when the output is not a terminal");
    row(anomaly, named("anomaly"),
        "check every value and gradient of each op, and stop at the first that is not finite");
    row(report, named("report"),
        "write report.html at the end, a page of curves, samples and heads");
    row(tensorboard, named("tensorboard"),
        "also write event files for TensorBoard: metrics, samples, the config");
  }
};

struct Config {
  std::uint64_t seed = 1;
  TaskOptions task;
  ModelOptions model;
  TrainingOptions training;
  EvaluationOptions evaluation;
  RunOptions run;

  void fields(const auto& row) {
    row(seed, named("seed"), "decides all that is random: data, initial weights, order, dropout");
  }

  // Calls visit(name, help, section) for each section.
  void sections(const auto& visit) {
    visit("task", "what to learn, and from which data", task);
    visit("model", "the transformer", model);
    visit("attention", "the options of all attentions; the next three sections override them",
          model.attention);
    visit("encoder_self", "what differs in the encoder's self-attention", model.encoder_self);
    visit("decoder_self", "what differs in the decoder's self-attention", model.decoder_self);
    visit("cross", "what differs in the attention from decoder to encoder", model.cross);
    visit("training", "the optimiser, the batches, and when to stop", training);
    visit("evaluation", "what is measured, when, and how outputs are written", evaluation);
    visit("run", "what the run reports and checks", run);
  }
};

}  // namespace tapehead

// What every head of a model does while it reads the sequences of a source: watched, reported as
// tables and as JSON, and what their columns mean.
#pragma once

#include "core/files/json_text.hpp"
#include "core/kernel/workers.hpp"
#include "core/sequence/batch.hpp"
#include "lab/heads/attention_report.hpp"
#include "lab/heads/head_figures.hpp"
#include "nn/pass.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The sums of every attention, in the order in which the model runs them, with the targets for the
// decoder as in training; the same with any number of threads. `progress` counts batches.
std::vector<AttentionSums> watch_heads(
    const Transformer& model, const ParameterStore& store, const Source& source,
    const ReadFacts& facts, Index batch_tokens, Workers& workers,
    const std::function<void(Index done, Index of)>& progress = {},
    const std::vector<HeadFigureRow>& rows = head_figure_rows());

// Each head for each sequence, in the order in which a pass computes them.
std::vector<RecordedAttention> recorded_attentions(const Model& model, const Batch& batch);

// The nearest of the heads of an attention. Head `number` itself is left out if it is among them.
std::optional<NearestHead> nearest_of(AttentionSite site, const std::vector<double>& distances,
                                      std::optional<std::size_t> number = {});

// Writes an attention's divergences from earlier ones into the reports of both.
void compare_with_earlier(std::vector<AttentionReport>& reports, const AttentionSums& attention);

// Finds every head's `nearest`. A head has none if no other head has the same queries and keys.
void find_nearest(std::vector<AttentionReport>& reports);

// What each head does over the sequences of a source, from watch_heads(), with the rows' figures.
// Throws what expect_figure_rows() throws.
std::vector<AttentionReport> study_heads(
    const Model& model, const Config& config, const Task& task, const Source& source,
    Workers& workers, const std::vector<HeadFigureRow>& rows = head_figure_rows(),
    const std::function<void(Index done, Index of)>& progress = {});

std::string heads_table(const std::vector<AttentionReport>& attentions,
                        HeadTable which = HeadTable::weights,
                        const std::vector<HeadFigureRow>& rows = head_figure_rows());
Json heads_json(const std::vector<AttentionReport>& attentions,
                const std::vector<HeadFigureRow>& rows = head_figure_rows());

// A line for each head: its attention, what that is, and the figures in JSON that are no lists.
std::string heads_csv(const std::vector<AttentionReport>& attentions);

// "previous token: ...", in the order in which they are tried.
std::vector<std::pair<std::string, std::string>> role_legend();

// The columns and the roles as text.
std::string legend_text(const std::vector<HeadFigureRow>& rows = head_figure_rows());

// The same as a page, docs/head-figures.md.
std::string legend_reference();

// For pages: {"columns": [{"key", "name", "meaning", "share"}], "roles": [{"role", "meaning"}]}.
Json legend_json(const std::vector<HeadFigureRow>& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION

// What is known of all heads of a run, as tables and as JSON.
#pragma once

#include "core/files/json_text.hpp"
#include "lab/heads/attention_report.hpp"
#include "lab/heads/head_watch.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

}}  // namespace tapehead::TAPEHEAD_PRECISION

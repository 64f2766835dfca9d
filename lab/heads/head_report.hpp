// Watches every head of a model over the sequences of a source; reports what each head does, as
// tables and as JSON; explains the columns.
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

// The sums of every attention, in the order of a pass. The decoder reads the targets, as in
// training. The result does not depend on the number of threads. `progress` counts batches.
std::vector<AttentionSums> watch_heads(
    const Transformer& model, const ParameterStore& store, const Source& source,
    const ReadFacts& facts, Index batch_tokens, Workers& workers,
    const std::function<void(Index done, Index of)>& progress = {},
    const std::vector<HeadFigureRow>& rows = head_figure_rows());

// The attention of each head in each sequence, in the order in which a pass computes it.
std::vector<RecordedAttention> recorded_attentions(const Model& model, const Batch& batch);

// The nearest head of an attention by these distances. Leaves out head `number`, if given.
std::optional<NearestHead> nearest_of(AttentionSite site, const std::vector<double>& distances,
                                      std::optional<std::size_t> number = {});

// Writes the divergences between an attention and earlier ones into the reports of both.
void compare_with_earlier(std::vector<AttentionReport>& reports, const AttentionSums& attention);

// Sets every head's `nearest`. It stays absent if no other head has the same queries and keys.
void find_nearest(std::vector<AttentionReport>& reports);

// Watches the heads over a source with watch_heads() and reports the figures of `rows`. Throws what
// expect_figure_rows() throws.
std::vector<AttentionReport> study_heads(
    const Model& model, const Config& config, const Task& task, const Source& source,
    Workers& workers, const std::vector<HeadFigureRow>& rows = head_figure_rows(),
    const std::function<void(Index done, Index of)>& progress = {});

std::string heads_table(const std::vector<AttentionReport>& attentions,
                        HeadTable which = HeadTable::weights,
                        const std::vector<HeadFigureRow>& rows = head_figure_rows());
Json heads_json(const std::vector<AttentionReport>& attentions,
                const std::vector<HeadFigureRow>& rows = head_figure_rows());

// One line per head: its attention with stack, layer and kind, and all JSON figures except lists.
std::string heads_csv(const std::vector<AttentionReport>& attentions);

// Each role with its meaning, in the order in which roles are tried: "previous token: ...".
std::vector<std::pair<std::string, std::string>> role_legend();

// The columns and the roles, explained as text.
std::string legend_text(const std::vector<HeadFigureRow>& rows = head_figure_rows());

// The same as Markdown, for docs/head-figures.md.
std::string legend_reference();

// For pages: {"columns": [{"key", "name", "meaning", "share"}], "roles": [{"role", "meaning"}]}.
Json legend_json(const std::vector<HeadFigureRow>& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION

// Watches every head of a model over the sequences of a source; reports what each head does, as
// tables and as JSON; explains the columns.
#pragma once

#include "lab/heads/attention_report.hpp"
#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The sums of every attention, in the order of a pass. The decoder reads the targets, as in
// training. The result does not depend on the number of threads. `progress` counts batches.
std::vector<AttentionSums> watch_heads(const Transformer& model, const ParameterStore& store,
                                       const Source& source, const ReadFacts& facts,
                                       Index batch_tokens, Workers& workers,
                                       const OnProgress& progress = {},
                                       const HeadFigureRows& rows = head_figure_rows());

// The attention of each head in each sequence, in the order in which a pass computes it.
std::vector<RecordedAttention> recorded_attentions(const Model& model, const Batch& batch);

// The nearest head of an attention by these distances. Leaves out head `number`, if given.
std::optional<NearestHead> nearest_of(AttentionSite site, const std::vector<double>& distances,
                                      std::optional<std::size_t> number = {});

// Sets each head's `divergence_across` and `nearest`, which stays absent if no other head has the
// same queries and keys.
void compare_attentions(AttentionReports& reports, const std::vector<AttentionSums>& attentions);

// Reports the figures of `rows`, by watch_heads(). Throws what expect_figure_rows() throws.
AttentionReports study_heads(const Model& model, const Config& config, const Task& task,
                             const Source& source, Workers& workers,
                             const HeadFigureRows& rows = head_figure_rows(),
                             const OnProgress& progress = {});

std::string heads_table(const AttentionReports& attentions, HeadTable which = HeadTable::weights,
                        const HeadFigureRows& rows = head_figure_rows());
Json heads_json(const AttentionReports& reports, const HeadFigureRows& rows = head_figure_rows());

// One line per head: its attention with stack, layer and kind, and all JSON figures except lists.
std::string heads_csv(const AttentionReports& attentions);

// Each role with its meaning, in the order in which roles are tried: "previous token: ...".
std::vector<std::pair<std::string, std::string>> role_legend();

// The columns and the roles, explained as text.
std::string legend_text(const HeadFigureRows& rows = head_figure_rows());

std::string legend_reference();  // the same as Markdown, for docs/head-figures.md

// For pages: {"columns": [{"key", "name", "meaning", "share"}], "roles": [{"role", "meaning"}]}.
Json legend_json(const HeadFigureRows& rows = head_figure_rows());

}}  // namespace tapehead::TAPEHEAD_PRECISION

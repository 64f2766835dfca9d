#include "lab/heads/head_legend.hpp"

#include <fmt/format.h>

#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

LegendPart weights_part() {
  return {
      .title = "weights: means over the queries, the positions from which a head looks",
      .terms = {
          {"attention", "", "the attention that the heads belong to"},
          {"head", "", "the head's number in its attention, from 0"},
          {"role", "role", "what the head is for, by the thresholds below; none: none is reached"},
          {"entropy", "entropy",
           "of the weights, in nats, and after \"of\" that of an even spread over all keys that "
           "the head's pattern allows, the most there can be; 0: all weight is on one key"},
          {"confidence", "confidence", "the largest weight, in percent"},
          {"same position", "weight_on.same_position",
           "percent of the weight on the key at the query's own position; in cross-attention a "
           "token of the other sentence"},
          {"previous", "weight_on.previous", "percent on the position before"},
          {"next", "weight_on.next", "percent on the position after"},
          {"first", "weight_on.first",
           "percent on the sentence's first key, of the queries that may look elsewhere"},
          {"last", "weight_on.last", "percent on its last key"},
          {"punctuation", "weight_on.punctuation",
           "percent on punctuation, of the queries that may attend to some"},
          {"rarest", "weight_on.rarest",
           "percent on the key that is rarest in the training data, marks apart"},
          {"induction", "weight_on.induction",
           "percent on keys behind an earlier occurrence of the query's own token"},
          {"duplicate", "weight_on.duplicate",
           "percent on earlier occurrences of the query's own token"},
          {"", "distance_profile", "weight by key position minus query position, from -8 to +8",
           "by distance"},
          {"offset", "offset",
           "key position minus query position at which the largest weight lies most often, and in "
           "what percent of the queries"},
          {"nearest", "divergence",
           "how far the weights are from those of the nearest head of the same attention, which "
           "stands in parentheses: mean Jensen-Shannon divergence in nats, 0 for the same weights, "
           "0.69 where no key is in common"},
          {"relation", "",
           "the known relation that the head agrees with best, in what percent of the queries, and "
           "in what percent the best fixed offset is right"},
      }};
}

LegendPart matrices_part() {
  return {.title = "weight matrices",
          .terms = {
              {"QK norm", "query_key.norm",
               "Frobenius norm of W_Q W_Kᵀ, the map from pairs of inputs to scores"},
              {"QK effective rank", "query_key.effective_rank",
               "effective rank of W_Q W_Kᵀ, exp of the entropy of the singular values' shares, "
               "and after \"of\" the head's width, the most there can be"},
              {"asymmetry", "query_key.asymmetry",
               "|M - Mᵀ| / (2 |M|) of it: 0 when it makes no difference who asks whom, 0.71 for "
               "unrelated query and key matrices"},
              {"VO norm", "value_output.norm",
               "Frobenius norm of W_V W_O, the map from what is attended to to what is written"},
              {"VO effective rank", "value_output.effective_rank",
               "effective rank of W_V W_O, and after \"of\" the head's width"},
          }};
}

LegendPart pairs_part() {
  return {.title = "pairs of heads",
          .terms = {
              {"weights", "",
               "mean divergence of the weights from the other heads of the same "
               "attention, in nats"},
              {"nearest", "", "the least divergence from a head of any attention of the kind"},
              {"of all layers", "nearest",
               "the head of any layer whose weights are most alike, and the divergence from it"},
              {"outputs", "",
               "mean distance from what the other heads of the same attention "
               "write, 1 - cos: 0 for the same direction, 1 for unrelated ones"},
              {"nearest", "", "behind outputs: the least such distance; the head in parentheses"},
          }};
}

LegendPart relations_part() {
  return {.title = "relations that the task knows",
          .terms = {
              {"relation", "", "which positions have to do with each other"},
              {"of", "", "the kind of attention"},
              {"queries", "", "how many have a related key"},
              {"random", "",
               "percent in which a key drawn evenly, of those that the best head may attend to, is "
               "a related one"},
              {"best fixed offset", "",
               "the fixed offset that is right most often, and in what percent"},
              {"best head", "", "the head whose largest weight is on a related key most often"},
              {"agrees", "", "the percent of the queries in which it is"},
          }};
}

LegendPart importance_part() {
  return {.title = "which heads matter (--importance, --prune, gates)",
          .terms = {
              {"", "loss_without",
               "how much the mean loss of a target token grows with the head "
               "gone",
               "loss without"},
              {"loss without", "", "mean loss of a target token with the head gone"},
              {"loss alone", "", "with all other heads of its attention gone"},
              {"more", "", "how much that is above the loss with all heads"},
              {"importance", "importance",
               "how fast a gate on the head's output would change the loss: |dL/dgate|"},
              {"heads left", "", "how many are left when the least important have gone"},
              {"removed", "", "the attention of the head that goes"},
              {"loss", "", "without it and those before"},
              {"gate", "", "what the head is multiplied by, where training closes gates"},
              {"open", "", "the probability that a draw of it in training is not 0"},
          }};
}

}  // namespace

std::vector<LegendPart> head_legend() {
  return {weights_part(), matrices_part(), pairs_part(), relations_part(), importance_part()};
}

std::vector<std::pair<std::string, std::string>> role_legend(const RoleThresholds& least) {
  const std::string offset =
      fmt::format("for {} of the queries that have a key there", format_share(least.positional));
  const auto lifted = [](double share, const char* where, double lift) {
    return fmt::format("{} of the weight {}, and {:.0f} times as much as an even spread has there",
                       format_share(share), where, lift);
  };
  return {
      {"previous token", "the largest weight is on the position before " + offset},
      {"next token", "the largest weight is on the position after " + offset},
      {"positional", "the largest weight is at another offset " + offset},
      {"induction", lifted(least.induction, "on keys behind earlier occurrences of the same token",
                           least.induction_lift)},
      {"duplicate token",
       lifted(least.duplicate, "on earlier occurrences of the same token", least.duplicate_lift)},
      {"rare token", lifted(least.rare, "on the rarest key", least.rare_lift)},
      {"first token", lifted(least.first, "on the first key", least.first_lift)},
      {"idle", format_share(least.idle) + " of the weight on the first and the last key together"},
      {"content",
       fmt::format("entropy at most {} of that of an even spread", format_share(least.content))},
  };
}

std::string legend_text() {
  std::string text;
  for (const LegendPart& part : head_legend()) {
    Table table({Align::left, Align::left});
    for (const HeadTerm& term : part.terms) {
      if (!term.column.empty()) {
        table.row({term.column, term.meaning});
      }
    }
    text += fmt::format("{}\n{}\n\n", part.title, table.text());
  }
  Table roles({Align::left, Align::left});
  for (const auto& [role, threshold] : role_legend()) {
    roles.row({role, threshold});
  }
  return text + fmt::format("roles: the first whose threshold is reached\n{}", roles.text());
}

nlohmann::ordered_json legend_json() {
  nlohmann::ordered_json columns = nlohmann::ordered_json::array();
  for (const LegendPart& part : head_legend()) {
    for (const HeadTerm& term : part.terms) {
      if (!term.key.empty()) {
        columns.push_back({{"key", term.key},
                           {"name", term.page_name.empty() ? term.column : term.page_name},
                           {"meaning", term.meaning}});
      }
    }
  }
  nlohmann::ordered_json roles = nlohmann::ordered_json::array();
  for (const auto& [role, threshold] : role_legend()) {
    roles.push_back({{"role", role}, {"meaning", threshold}});
  }
  return {{"columns", columns}, {"roles", roles}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

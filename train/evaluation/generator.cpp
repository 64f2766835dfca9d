#include "train/evaluation/generator.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "datasets/pairs.hpp"
#include "datasets/task_kind.hpp"
#include "datasets/text/text_options.hpp"
#include "nn/generation/decoding.hpp"
#include "train/options/application.hpp"
#include "train/options/layout.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr TokenId nothing = -1;

// The rows that each of the models can see, if all see the same, and fewer than `context`.
std::optional<Stack::SeenRows> seen_by_all(std::span<const EnsembleMember> models, Index context) {
  const auto seen = [](const EnsembleMember& model) {
    return model.transformer.main().seen_rows();
  };
  const auto first = seen(models.front());
  const bool alike = std::ranges::all_of(
      models, [&](const EnsembleMember& model) { return seen(model) == first; });
  return alike && first && first->window > 0 && first->sinks + first->window < context
             ? first
             : std::nullopt;
}

}  // namespace

Generator::Generator(const GeneratorModel& model, Workers& workers, GeneratorOptions options)
    : model_(model),
      workers_(workers),
      options_(std::move(options)),
      of_text_(model.config.task.kind().of_text()),
      never_(never_written(of_text_ && model.one_document)) {
  if (of_text_) {
    seen_ = seen_by_all(model_.members, context());
  }
  if (of_text_ && model.one_document) {
    front_ = nothing;
  } else if (of_text_) {
    const auto& text = model.config.task.as<TextOptions>();
    front_ = text.stream       ? end_id  // of the document before
             : text.begin_mark ? begin_id
                               : nothing;
  }
}

Generator::Generator(const RunEnsemble& runs, Workers& workers, GeneratorOptions options)
    : Generator({.config = runs.first().config,
                 .tokenizers = runs.first().tokenizers,
                 .members = runs.members(),
                 .context = runs.context(),
                 .memory = runs.memory(),
                 .one_document = has_one_document(runs.first())},
                workers, std::move(options)) {
  expect_writes(runs.first().config, runs.first().directory.string());
}

Index Generator::kept() const {
  return !of_text_ ? 0
         : seen_   ? seen_->sinks + seen_->window
                   : (model_.memory > 0 ? model_.memory : (context() + 1) / 2);
}

std::string Generator::what_is_kept() const {
  if (seen_) {
    return fmt::format("its first {} tokens and its last {}", seen_->sinks, seen_->window);
  }
  return fmt::format("its last {} tokens", kept());
}

std::vector<TokenId> Generator::read_of(std::string_view prompt) const {
  const Tokenizer& tokenizer = *model_.tokenizers.source;
  std::vector<TokenId> tokens = tokenizer.encode(prompt);
  if (of_text_ && front_ != nothing) {
    tokens.insert(tokens.begin(), front_);
  }
  if (of_text_ && tokens.empty()) {
    const std::vector<TokenId> end_of_line = tokenizer.encode(line_end);
    tokens = model_.one_document && end_of_line.size() == 1 && end_of_line.front() != unknown_id
                 ? end_of_line
                 : std::vector<TokenId>{begin_id};
  }
  if (!of_text_) {
    tokens.resize(std::min(tokens.size(), static_cast<std::size_t>(context() - 1)));
  } else if (std::ssize(tokens) > context()) {
    tokens.erase(tokens.begin(), tokens.end() - (forgets() ? context() : kept()));
  }
  return tokens;
}

std::vector<TokenId> Generator::front_of_text() const {
  const bool nothing_in_front = of_text_ && !model_.config.task.as<TextOptions>().begin_mark;
  return nothing_in_front ? std::vector<TokenId>{} : read_of("");
}

// For each of the models.
std::vector<Prompts> Generator::prompts_for(const std::vector<std::vector<TokenId>>& read) const {
  if (of_text_) {
    std::vector<Sequence> sequences;
    for (const std::vector<TokenId>& tokens : read) {
      sequences.push_back({.input = {tokens}, .first_label = std::ssize(tokens) - 1});
    }
    return std::vector<Prompts>(model_.members.size(), pack_prompts(sequences));
  }
  const auto pairs = std::make_shared<Examples>();
  std::vector<Index> numbers;
  for (const std::vector<TokenId>& tokens : read) {
    numbers.push_back(std::ssize(*pairs));
    pairs->push_back({.source = tokens, .target = {}});
  }
  std::vector<Prompts> prompts;
  for (const EnsembleMember& member : model_.members) {
    const auto source = pair_source(pairs, layout_of(member.transformer.options()));
    prompts.push_back(pack_prompts(*source, numbers));
  }
  return prompts;
}

// The texts of the samples of each prompt, while they are written.
std::vector<std::vector<WrittenText>> Generator::texts_after(
    const std::vector<std::vector<TokenId>>& read, Index samples) const {
  const Tokenizer& tokenizer = of_text_ ? *model_.tokenizers.source : *model_.tokenizers.target;
  std::vector<std::vector<WrittenText>> texts;
  for (const std::vector<TokenId>& tokens : read) {
    texts.emplace_back(
        static_cast<std::size_t>(samples),
        WrittenText(tokenizer, of_text_ ? tokens : std::vector<TokenId>{}, options_.stop));
  }
  return texts;
}

// A search knows its outputs only at its end.
std::vector<std::vector<Generated>> Generator::search(std::span<const Prompts> prompts,
                                                      const EachToken& each) const {
  const auto found = decode_batch(model_.members, prompts,
                                  {.beam = options_.beam,
                                   .length_penalty = model_.config.evaluation.length_penalty,
                                   .max_extra_length = options_.max_tokens,
                                   .max_length = options_.max_tokens,
                                   .context = context(),
                                   .best = options_.samples,
                                   .scores = true,
                                   .never = never_,
                                   .end = end_id});
  std::vector<std::vector<Generated>> results;
  for (std::size_t prompt = 0; prompt < found.size(); ++prompt) {
    std::vector<Generated>& best = results.emplace_back();
    for (const Hypothesis& hypothesis : found[prompt]) {
      Generated& one =
          best.emplace_back(Generated{.tokens = {}, .log_probability = hypothesis.log_probability});
      const bool full = std::ssize(hypothesis.tokens) == options_.max_tokens;
      one.end = hypothesis.ended ? GenerationEnd::mark
                : full           ? GenerationEnd::max_tokens
                                 : GenerationEnd::context;
      for (const TokenId token : hypothesis.tokens) {
        one.tokens.push_back(token);
        if (!each(static_cast<Index>(prompt), std::ssize(best) - 1, token)) {
          one.end = GenerationEnd::caller;
          break;
        }
      }
    }
  }
  return results;
}

std::vector<std::vector<GeneratedText>> Generator::generate_together(
    std::span<const std::string> prompts, const GenerationGroup& group, const EachPiece& each,
    Index first) const {
  std::vector<std::vector<TokenId>> read;
  for (const std::string& prompt : prompts.subspan(static_cast<std::size_t>(group.prompt),
                                                   static_cast<std::size_t>(group.prompts))) {
    read.push_back(read_of(prompt));
  }
  const std::vector<Prompts> read_together = prompts_for(read);
  auto texts = texts_after(read, group.samples);
  const auto say = [&](Index prompt, Index sample, const std::string& piece) {
    if (each && !piece.empty()) {
      each(group.prompt + prompt, group.sample + sample, piece);
    }
  };
  const EachToken add = [&](Index prompt, Index sample, TokenId token) {
    WrittenText& text = texts[static_cast<std::size_t>(prompt)][static_cast<std::size_t>(sample)];
    say(prompt, sample, text.add(token));
    return !text.stopped();
  };
  auto generated = options_.beam > 0
                       ? search(read_together, add)
                       : generate_batch(model_.members, read_together,
                                        {.sampling = options_.sampling,
                                         .samples = group.samples,
                                         .first_prompt = first + group.prompt,
                                         .first_sample = group.sample,
                                         .max_tokens = options_.max_tokens,
                                         .context = context(),
                                         .kept = kept(),
                                         .remembered = seen_ ? seen_->window : model_.memory,
                                         .sinks = seen_ ? seen_->sinks : 0,
                                         .seed = options_.seed,
                                         .never = never_,
                                         .end = end_id},
                                        add);
  std::vector<std::vector<GeneratedText>> results(read.size());
  for (std::size_t prompt = 0; prompt < read.size(); ++prompt) {
    for (std::size_t sample = 0; sample < generated[prompt].size(); ++sample) {
      Generated& one = generated[prompt][sample];
      WrittenText& text = texts[prompt][sample];
      say(static_cast<Index>(prompt), static_cast<Index>(sample), text.finish());
      results[prompt].push_back({.text = text.text(),
                                 .tokens = std::move(one.tokens),
                                 .log_probability = one.log_probability,
                                 .end = one.end,
                                 .slid = one.slid});
    }
  }
  return results;
}

std::vector<std::vector<GeneratedText>> Generator::generate(std::span<const std::string> prompts,
                                                            const EachPiece& each,
                                                            Index first) const {
  const Index count = std::ssize(prompts);
  const Index threads = workers_.threads();
  const std::vector<GenerationGroup> groups =
      options_.beam > 0
          ? search_groups(count, options_.samples, options_.beam, threads, options_.together)
          : generation_groups(count, options_.samples, threads, options_.together);
  std::vector<std::vector<std::vector<GeneratedText>>> written(groups.size());
  workers_.run(std::ssize(groups), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    written[k] = generate_together(prompts, groups[k], each, first);
  });
  std::vector<std::vector<GeneratedText>> results(prompts.size());
  for (std::size_t k = 0; k < groups.size(); ++k) {
    for (std::size_t p = 0; p < written[k].size(); ++p) {
      std::ranges::move(
          written[k][p],
          std::back_inserter(results[static_cast<std::size_t>(groups[k].prompt) + p]));
    }
  }
  return results;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

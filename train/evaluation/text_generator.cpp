#include "train/evaluation/text_generator.hpp"

#include "datasets/pairs.hpp"
#include "nn/generation/decoding.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

TextGenerator::TextGenerator(GeneratorModel model, Workers& workers, GeneratorOptions options)
    : model_(std::move(model)), workers_(workers), options_(std::move(options)) {
  if (model_.goes_on) {
    const auto seen = [](const EnsembleMember& one) { return one.transformer.main().seen_rows(); };
    const auto first = seen(model_.members.front());
    const bool alike = std::ranges::all_of(
        model_.members, [&](const EnsembleMember& one) { return seen(one) == first; });
    if (alike && first && first->window > 0 && first->sinks + first->window < context()) {
      seen_ = first;
    }
  }
}

Index TextGenerator::kept() const {
  return !model_.goes_on ? 0
         : seen_         ? seen_->sinks + seen_->window
                         : (model_.memory > 0 ? model_.memory : (context() + 1) / 2);
}

std::string TextGenerator::what_is_kept() const {
  if (seen_) {
    return fmt::format("its first {} tokens and its last {}", seen_->sinks, seen_->window);
  }
  return fmt::format("its last {} tokens", kept());
}

std::vector<TokenId> TextGenerator::read_of(std::vector<TokenId> prompt) const {
  const Index size = std::ssize(prompt);
  if (!model_.goes_on) {
    prompt.resize(static_cast<std::size_t>(std::min(size, context() - 1)));
  } else if (size > context()) {
    prompt.erase(prompt.begin(), prompt.end() - (forgets() ? context() : kept()));
  }
  return prompt;
}

// The prompts in the form of each model.
std::vector<Prompts> TextGenerator::prompts_for(
    const std::vector<std::vector<TokenId>>& read) const {
  if (model_.goes_on) {
    const auto sequences = mapped(read, [](const std::vector<TokenId>& tokens) {
      return Sequence{.input = {tokens}, .first_label = std::ssize(tokens) - 1};
    });
    return std::vector<Prompts>(model_.members.size(), pack_prompts(sequences));
  }
  const auto pairs = std::make_shared<Examples>();
  const auto numbers = mapped(numbers_below(std::ssize(read)), std::identity());
  for (const std::vector<TokenId>& tokens : read) {
    pairs->push_back({.source = tokens, .target = {}});
  }
  return mapped(model_.members, [&](const EnsembleMember& member) {
    return pack_prompts(*pair_source(pairs, layout_of(member.transformer.options())), numbers);
  });
}

// Calls `each` after the search, because a search knows its outputs only at its end.
Samples TextGenerator::search(std::span<const Prompts> prompts, const EachToken& each) const {
  const auto found = decode_batch(model_.members, prompts,
                                  {.beam = options_.beam,
                                   .length_penalty = model_.length_penalty,
                                   .max_extra_length = options_.max_tokens,
                                   .max_length = options_.max_tokens,
                                   .context = context(),
                                   .best = options_.samples,
                                   .scores = true,
                                   .never = model_.never,
                                   .end = end_id});
  Samples results;
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

GeneratedTexts TextGenerator::generate_together(std::span<const std::vector<TokenId>> prompts,
                                                const GenerationGroup& group, const EachPiece& each,
                                                Index first) const {
  std::vector<std::vector<TokenId>> read;
  std::vector<std::vector<WrittenText>> texts;  // of each prompt: the growing texts of its samples
  for (const std::vector<TokenId>& prompt : prompts.subspan(
           static_cast<std::size_t>(group.prompt), static_cast<std::size_t>(group.prompts))) {
    read.push_back(read_of(prompt));
    const auto before = model_.goes_on ? read.back() : std::vector<TokenId>();
    texts.emplace_back(static_cast<std::size_t>(group.samples),
                       WrittenText(*model_.tokenizer, before, options_.stop));
  }
  const std::vector<Prompts> read_together = prompts_for(read);
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
                                         .never = model_.never,
                                         .end = end_id},
                                        add);
  GeneratedTexts results(read.size());
  for (std::size_t prompt = 0; prompt < read.size(); ++prompt) {
    for (std::size_t sample = 0; sample < generated[prompt].size(); ++sample) {
      WrittenText& text = texts[prompt][sample];
      say(static_cast<Index>(prompt), static_cast<Index>(sample), text.finish());
      results[prompt].push_back({std::move(generated[prompt][sample]), text.text()});
    }
  }
  return results;
}

GeneratedTexts TextGenerator::generate(std::span<const std::vector<TokenId>> prompts,
                                       const EachPiece& each, Index first) const {
  const std::vector<GenerationGroup> groups = generation_groups(
      std::ssize(prompts), options_.samples, workers_.threads(), options_.together, options_.beam);
  std::vector<GeneratedTexts> written(groups.size());
  workers_.run(std::ssize(groups), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    written[k] = generate_together(prompts, groups[k], each, first);
  });
  GeneratedTexts results(prompts.size());
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

#include "datasets/text/classified_text.hpp"

#include "datasets/text/labelled_lines.hpp"

namespace tapehead {

namespace {

class ClassSource : public Source {
 public:
  ClassSource(std::vector<ClassifiedText> all, const Layout& layout)
      : texts_(std::move(all)), layout_(layout) {}

  Index size() const override { return std::ssize(texts_); }

  SequenceLengths lengths(Index number) const override {
    return {.input = std::ssize(text(number).tokens) + (between_marks() ? 2 : 1)};
  }

  Sequence at(Index number) const override {
    const ClassifiedText& of = text(number);
    Sequence sequence{.source = {of.tokens}, .predicted = 1, .number = number};
    if (of.label >= 0) {
      sequence.labels = {of.label};
    }
    if (between_marks()) {
      sequence.input = {begin_id, of.tokens, end_id};
      sequence.second_text = 1 + of.first_text + 1;
    } else {
      sequence.input = {of.tokens, begin_id};
      sequence.first_label = std::ssize(of.tokens);
      sequence.prefix = layout_.full_prefix ? std::ssize(of.tokens) : 0;
    }
    return sequence;
  }

  bool in_one_pass() const override { return true; }

  void add_to(Hash& hash) const override {
    hash.add(texts_.size());
    for (const ClassifiedText& of : texts_) {
      hash.add(of.tokens).add(std::span(&of.label, 1));
    }
  }

 private:
  const ClassifiedText& text(Index number) const {
    return texts_[static_cast<std::size_t>(number)];
  }
  bool between_marks() const { return layout_.source_alone(); }

  std::vector<ClassifiedText> texts_;
  Layout layout_;
};

}  // namespace

ClassifiedText classified_text(const Tokenizer& tokenizer, const std::string& line, Index texts,
                               Index max_length) {
  const auto parts = texts_of(line, texts);
  std::vector<TokenId> first = tokenizer.encode(parts.front());
  std::vector<TokenId> second =
      parts.size() > 1 ? tokenizer.encode(parts[1]) : std::vector<TokenId>{};
  ClassifiedText result;
  while (std::ssize(first) + std::ssize(second) > max_length) {
    (first.size() >= second.size() ? first : second).pop_back();
    result.cut = true;
  }
  result.first_text = std::ssize(first);
  if (texts == 2) {
    first.push_back(end_id);
    first.insert(first.end(), second.begin(), second.end());
  }
  result.tokens = std::move(first);
  return result;
}

std::shared_ptr<const Source> class_source(std::vector<ClassifiedText> texts,
                                           const Layout& layout) {
  return std::make_shared<ClassSource>(std::move(texts), layout);
}

}  // namespace tapehead

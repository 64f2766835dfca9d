#include "datasets/sequence.hpp"

namespace tapehead {

namespace {

// Appends the ids as a new segment, and returns its first row.
Index append(const Ids& ids, Segment segment, Tokens& to) {
  segment.row = to.rows();
  segment.rows = ids.size();
  ids.append_to(to.ids);
  to.segments.list.push_back(segment);
  return segment.row;
}

PoolVector<Sequence> sequences_of(const Source& source, std::span<const Index> numbers) {
  PoolVector<Sequence> sequences;
  for (const Index number : numbers) {
    sequences.push_back(source.at(number));
  }
  return sequences;
}

// Chosen sequences of other sources. There is at least one source.
class Selection : public Source {
 public:
  struct Place {
    const Source* source;
    Index number;
  };

  Selection(std::vector<std::shared_ptr<const Source>> sources, std::vector<Place> places)
      : sources_(std::move(sources)), places_(std::move(places)) {}

  Index size() const override { return std::ssize(places_); }
  SequenceLengths lengths(Index number) const override {
    return place(number).source->lengths(place(number).number);
  }
  Sequence at(Index number) const override {
    Sequence sequence = place(number).source->at(place(number).number);
    sequence.number = number;
    return sequence;
  }
  Relations relations(Index number) const override {
    return place(number).source->relations(place(number).number);
  }
  bool in_one_pass() const override { return sources_.front()->in_one_pass(); }
  Index positions() const override {
    return sources_.front()->positions() > 0 ? longest_input() : 0;
  }

 private:
  const Place& place(Index number) const { return places_[static_cast<std::size_t>(number)]; }

  std::vector<std::shared_ptr<const Source>> sources_;
  std::vector<Place> places_;
};

}  // namespace

Index Ids::size() const {
  return std::accumulate(views_.begin(), views_.end(), Index{0},
                         [](Index sum, const IdView& view) { return sum + view.size; });
}

Ids Ids::front(Index count) const {
  Ids result = *this;
  for (IdView& view : result.views_) {
    view.size = std::min(view.size, count);
    count -= view.size;
  }
  return result;
}

void Ids::append_to(PoolVector<TokenId>& to) const {
  for (const IdView& view : views_) {
    if (view.text != nullptr) {
      view.text->append_to(to, view.first, view.size);
    } else {
      to.insert(to.end(), view.ids, view.ids + view.size);
    }
  }
}

std::vector<TokenId> Ids::list() const {
  PoolVector<TokenId> ids;
  append_to(ids);
  return {ids.begin(), ids.end()};
}

Sequence Sequence::prompt() const {
  Sequence result = *this;
  result.input = input.front(first_label + 1);
  result.labels = {};
  result.predicted = 0;
  return result;
}

Batch pack(std::span<const Sequence> sequences) {
  Batch batch;
  batch.labels.every_row = std::ranges::all_of(sequences, [](const Sequence& sequence) {
    return sequence.label_rows.empty() && sequence.predicted == sequence.input.size();
  });
  for (const Sequence& sequence : sequences) {
    append(sequence.context, {}, batch.context);
    const Index row = append(
        sequence.input, {.position = sequence.position, .prefix = sequence.prefix}, batch.input);
    if (sequence.second_text > 0) {
      batch.input.types.resize(static_cast<std::size_t>(row + sequence.second_text));
      batch.input.types.resize(static_cast<std::size_t>(batch.input.rows()), TokenId{1});
    }
    if (sequence.lane >= 0) {
      batch.input.lanes.push_back(sequence.lane);
    }
    sequence.labels.append_to(batch.labels.ids);
    const Index listed = batch.labels.every_row ? 0 : sequence.predicted;
    for (Index i = 0; i < listed; ++i) {
      batch.labels.rows.push_back(row + (sequence.label_rows.empty()
                                             ? sequence.first_label + i
                                             : sequence.label_rows[static_cast<std::size_t>(i)]));
    }
    batch.examples.push_back(sequence.number);
  }
  return batch;
}

Batch pack(const Source& source, std::span<const Index> numbers) {
  return pack(sequences_of(source, numbers));
}

Prompts pack_prompts(std::span<const Sequence> sequences) {
  PoolVector<Sequence> prompts;
  for (const Sequence& sequence : sequences) {
    prompts.push_back(sequence.prompt());
  }
  Batch batch = pack(prompts);
  return {.context = std::move(batch.context), .input = std::move(batch.input)};
}

Prompts pack_prompts(const Source& source, std::span<const Index> numbers) {
  return pack_prompts(sequences_of(source, numbers));
}

SequenceLengths Source::lengths(Index number) const {
  const Sequence sequence = at(number);
  return {.context = sequence.context.size(), .input = sequence.input.size()};
}
Relations Source::relations(Index) const { return {}; }
Index Source::positions() const { return 0; }
Index Source::longest_input() const {
  Index longest = 0;
  for (Index i = 0; i < size(); ++i) {
    longest = std::max(longest, lengths(i).input);
  }
  return longest;
}
void Source::add_to(Hash& /*hash*/) const { throw std::logic_error("no examples of a task"); }

std::shared_ptr<const Source> part_of(std::shared_ptr<const Source> whole,
                                      const std::vector<Index>& numbers) {
  std::vector<Selection::Place> places = mapped(numbers, [&](Index number) {
    return Selection::Place{.source = whole.get(), .number = number};
  });
  return std::make_shared<Selection>(std::vector{std::move(whole)}, std::move(places));
}

std::shared_ptr<const Source> one_after_another(
    std::vector<std::shared_ptr<const Source>> sources) {
  std::vector<Selection::Place> places;
  for (const auto& source : sources) {
    for (Index number = 0; number < source->size(); ++number) {
      places.push_back({.source = source.get(), .number = number});
    }
  }
  return std::make_shared<Selection>(std::move(sources), std::move(places));
}

}  // namespace tapehead

// A sequence is what a model reads and predicts for one example. A source makes the sequences of
// its examples, and knows the relations between their rows. Only `pack` lays sequences out as a
// batch.
#pragma once

#include "core/sequence/batch.hpp"
#include "datasets/corpus/token_text.hpp"

namespace tapehead {

// A relation lists pairs of positions that belong together in an example, as far as the task knows
// them. Attention is compared with relations.
//
// Positions are rows as the model sees them. A source of S tokens has rows 0 ... S - 1, and its end
// mark in row S. A target of T tokens has the begin mark in row 0 and token t in row t + 1; row t
// predicts token t, and row T predicts the end mark.

// The sides of queries and keys, which select the attention that a relation is compared with.
enum class RelationSide {
  source,  // both in the source: the encoder's self-attention
  target,  // both in the target: the decoder's self-attention, where no key follows its query
  across,  // query in the target, key in the source: cross-attention
};

struct PositionPair {
  Index query = 0;
  Index key = 0;

  bool operator==(const PositionPair&) const = default;
};

struct Relation {
  std::string_view name;
  RelationSide side;
  // In the order of the queries. A query without a pair does not take part in the relation. If a
  // query has several keys, each of them counts as correct.
  std::vector<PositionPair> pairs{};

  bool operator==(const Relation&) const = default;
};

using Relations = std::vector<Relation>;

// Pairs every row except the first with the row before it.
inline Relation one_back(RelationSide side, Index rows) {
  Relation relation{.name = "previous", .side = side};
  for (Index row = 1; row < rows; ++row) {
    relation.pairs.push_back({row, row - 1});
  }
  return relation;
}

// A view of consecutive token ids in a vector or in a text.
struct IdView {
  IdView() = default;
  IdView(std::span<const TokenId> all) : ids(all.data()), size(std::ssize(all)) {}
  IdView(const std::vector<TokenId>& all) : IdView(std::span(all)) {}
  IdView(const TokenId& one) : ids(&one), size(1) {}  // such as a mark
  IdView(TokenId&&) = delete;
  IdView(const TokenText& of, Index begin, Index count) : text(&of), first(begin), size(count) {}

  IdView part(Index begin, Index count) const {
    return text == nullptr ? IdView(std::span(ids + begin, static_cast<std::size_t>(count)))
                           : IdView(*text, first + begin, count);
  }

  const TokenId* ids = nullptr;  // null: the ids are in `text`, from `first` on
  const TokenText* text = nullptr;
  Index first = 0;
  Index size = 0;
};

// The ids of up to three views, one after another.
class Ids {
 public:
  Ids() = default;
  Ids(std::initializer_list<IdView> views) { std::ranges::copy(views, views_.begin()); }

  Index size() const;
  Ids front(Index count) const;  // the first `count` ids
  void append_to(PoolVector<TokenId>& to) const;
  std::vector<TokenId> list() const;

 private:
  std::array<IdView, 3> views_;  // a source, a mark and a target
};

struct Sequence {
  Ids source{};                         // what a user gives, without marks; in a pair: the source
  Ids context{};                        // what the encoder reads, if there is a decoder too
  Ids input{};                          // what the decoder, or the only stack, reads
  Ids labels{};                         // what the model should predict; empty: unknown
  Index predicted = 0;                  // number of rows that predict a label:
  Index first_label = 0;                // consecutive rows from this one,
  std::span<const Index> label_rows{};  // or these rows, if there are any
  Index prefix = 0;       // number of first rows that see each other, whatever the pattern
  Index second_text = 0;  // its first row, of type 1; size of input: none; 0: no types
  Index lane = -1;        // the lane that it continues; -1: none
  Index position = 0;     // of its first row, in that lane
  Index number = 0;       // of its example
  std::shared_ptr<const void> holds{};  // owns ids that were made for this sequence

  // What is read before a target is written: the rows up to the first row with a label.
  Sequence prompt() const;
};

struct SequenceLengths {
  Index context = 0;
  Index input = 0;
  Index remembered = 0;  // rows of its lane that the memory holds before it

  Index longer() const { return std::max(context, input); }
};

// The sequences of examples. Each implementation knows how the model reads its kind of example.
class Source {
 public:
  virtual ~Source() = default;
  virtual Index size() const = 0;
  virtual SequenceLengths lengths(Index number) const;  // of at(number)
  virtual Sequence at(Index number) const = 0;          // refers to ids of the source

  // Relations between the rows of the sequence; empty if the task knows none.
  virtual Relations relations(Index number) const;
  // Whether no label is read at a later row, as with classes, labels of tokens and masked tokens.
  virtual bool in_one_pass() const = 0;
  // If each label is the next token of a text: rows of the longest sequence; else 0.
  virtual Index positions() const;
  // Adds the examples to the hash, whatever the layout. Throws logic_error if the source does not
  // belong to the split of a task.
  virtual void add_to(Hash& hash) const;

 protected:
  Index longest_input() const;  // rows
};

// The sequences with these numbers, in this order. They are numbered anew.
std::shared_ptr<const Source> part_of(std::shared_ptr<const Source> whole,
                                      const std::vector<Index>& numbers);

// The sequences of all sources, one source after another. There is at least one source.
std::shared_ptr<const Source> one_after_another(std::vector<std::shared_ptr<const Source>> sources);

// The sequences one after another, without padding.
Batch pack(std::span<const Sequence> sequences);
Batch pack(const Source& source, std::span<const Index> numbers);
inline Batch pack(const Source& source, std::initializer_list<Index> numbers) {
  return pack(source, std::span(numbers.begin(), numbers.size()));
}

Prompts pack_prompts(std::span<const Sequence> sequences);
Prompts pack_prompts(const Source& source, std::span<const Index> numbers);

}  // namespace tapehead

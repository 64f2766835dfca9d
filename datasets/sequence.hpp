// A sequence is what a model reads and predicts of one example, with the relations between its rows
// that the task knows. A source makes the sequences of its examples, and `pack` alone lays them out
// as a batch.
#pragma once

#include "core/random/draws.hpp"
#include "core/sequence/batch.hpp"
#include "datasets/corpus/token_text.hpp"

namespace tapehead {

// Relations: pairs of positions of an example that belong together, if a task knows them. Attention
// is compared with them.
//
// Positions are rows as the model sees them. A source of S tokens has rows 0 ... S - 1, and its end
// mark in row S. A target of T tokens has the begin mark in row 0 and token t in row t + 1; row t
// predicts token t, and row T predicts the end mark.

// The attention that a relation is compared with, by the side of its queries and of its keys.
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

// Consecutive token ids that somebody else holds: a vector, or a text.
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

  const TokenId* ids = nullptr;  // null: those of the text, from `first` on
  const TokenText* text = nullptr;
  Index first = 0;
  Index size = 0;
};

// The ids of a few views, one after another.
class Ids {
 public:
  Ids() = default;
  Ids(std::initializer_list<IdView> views) { std::ranges::copy(views, views_.begin()); }

  Index size() const;
  Ids front(Index count) const;  // the first so many
  void append_to(PoolVector<TokenId>& to) const;
  std::vector<TokenId> list() const;

 private:
  std::array<IdView, 3> views_;  // a source, a mark and a target
};

struct Sequence {
  Ids source{};                         // what a user gives, without marks: of a pair the source
  Ids context{};                        // what an encoder reads
  Ids input{};                          // what the model reads that predicts
  Ids labels{};                         // what it should predict; empty: nobody knows
  Index predicted = 0;                  // so many rows predict a label: consecutive ones,
  Index first_label = 0;                // from this on,
  std::span<const Index> label_rows{};  // or these, if there are any
  Index prefix = 0;       // so many rows of the input see each other, whatever the pattern says
  Index second_text = 0;  // its first row, of type 1; the input's size: none; 0: without types
  Index lane = -1;        // the stream that it goes on with
  Index position = 0;     // in that stream
  Index number = 0;       // of its example
  std::shared_ptr<const void> holds{};  // ids that were made for it

  // What is read before a target is written: the rows through the one with the first label.
  Sequence prompt() const;
};

struct SequenceLengths {
  Index context = 0;
  Index input = 0;
  Index remembered = 0;  // rows that a memory has of its lane, before it

  Index longer() const { return std::max(context, input); }
};

// The sequences of examples. Each implementation knows how the model reads its kind of example.
class Source {
 public:
  virtual ~Source() = default;
  virtual Index size() const = 0;
  virtual SequenceLengths lengths(Index number) const = 0;  // without its ids
  virtual Sequence at(Index number) const = 0;              // refers to what the source holds

  // In the rows of the sequence; none if the task knows none.
  virtual Relations relations(Index number) const;
  // Whether no label is read at a later row: a class, labels of tokens, masked tokens.
  virtual bool in_one_pass() const = 0;
  // If each label follows all rows before it, as in a text: rows of the longest sequence; else 0.
  virtual Index positions() const;
  // Adds what the sequences are made of, whatever the layout. Throws logic_error where they are not
  // those of a task's split.
  virtual void add_to(Hash& hash) const;
};

// Some of a source's sequences, in this order; they are numbered anew.
std::shared_ptr<const Source> part_of(std::shared_ptr<const Source> whole,
                                      const std::vector<Index>& numbers);

// The sequences of all sources, of which there is one at least.
std::shared_ptr<const Source> one_after_another(std::vector<std::shared_ptr<const Source>> sources);

// The sequences one after another, without padding.
Batch pack(std::span<const Sequence> sequences);
Batch pack(const Source& source, std::span<const Index> numbers);
inline Batch pack(const Source& source, std::initializer_list<Index> numbers) {
  return pack(source, std::span(numbers.begin(), numbers.size()));
}

// What a model reads before it writes their targets.
Prompts pack_prompts(std::span<const Sequence> sequences);
Prompts pack_prompts(const Source& source, std::span<const Index> numbers);

}  // namespace tapehead

#include "lab/sweep/places.hpp"

#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/ranks/sharing.hpp"

namespace tapehead {

namespace {

using Json = nlohmann::ordered_json;

// MessagePack, because arguments may contain bytes that are not UTF-8, which JSON does not have.
std::string packed(const Json& json) {
  std::string bytes;
  Json::to_msgpack(json, bytes);
  return bytes;
}

}  // namespace

SweepPlaces::SweepPlaces(Ranks& ranks, Index each, std::filesystem::path program)
    : ranks_(ranks),
      program_(std::move(program)),
      places_(static_cast<std::size_t>(ranks.count() * each)) {}

void SweepPlaces::start(Index place, ChildCommand command) {
  places_[static_cast<std::size_t>(place)].busy = true;
  starts_.push_back({place, std::move(command)});
}

void SweepPlaces::send_to_all(int signal) { signal_to_all_ = signal; }

std::optional<int> SweepPlaces::take_exit_code(Index place) {
  Place& ended = places_[static_cast<std::size_t>(place)];
  if (ended.exit_code) {
    ended.busy = false;
  }
  return std::exchange(ended.exit_code, std::nullopt);
}

void SweepPlaces::close() {
  closed_ = true;
  round(0);
}

bool SweepPlaces::round(int signal) {
  if (!follow(text_of_first(ranks_, take_orders()))) {
    return false;
  }
  hear(share_texts(ranks_, report(signal)));
  return true;
}

std::string SweepPlaces::take_orders() {
  Json starts = Json::array();
  for (const auto& [place, command] : std::exchange(starts_, {})) {
    starts.push_back({place, command.log.string(), command.arguments});
  }
  return packed({{"starts", std::move(starts)},
                 {"signal", std::exchange(signal_to_all_, 0)},
                 {"closed", closed_}});
}

bool SweepPlaces::follow(const std::string& orders) {
  const Json json = Json::from_msgpack(orders);
  if (json["closed"].get<bool>()) {
    return false;
  }
  for (const Json& start : json["starts"]) {
    if (const auto place = start[0].get<Index>(); rank_of(place) == ranks_.rank()) {
      const ChildCommand command{.log = start[1].get<std::string>(),
                                 .arguments = start[2].get<std::vector<std::string>>()};
      children_.try_emplace(place, command, program_);
    }
  }
  if (const int signal = json["signal"].get<int>(); signal != 0) {
    for (const auto& [place, child] : children_) {
      child.send(signal);
    }
  }
  return true;
}

std::string SweepPlaces::report(int signal) {
  Json ends = Json::array();
  for (auto entry = children_.begin(); entry != children_.end();) {
    const std::optional<int> code = entry->second.exit_code();
    if (code) {
      ends.push_back({entry->first, *code});
    }
    entry = code ? children_.erase(entry) : std::next(entry);
  }
  return packed({{"ends", std::move(ends)}, {"signal", signal}});
}

void SweepPlaces::hear(const std::vector<std::string>& reports) {
  for (const std::string& text : reports) {
    const Json json = Json::from_msgpack(text);
    signal_ = signal_ != 0 ? signal_ : json["signal"].get<int>();
    if (ranks_.first()) {
      for (const Json& end : json["ends"]) {
        places_[end[0].get<std::size_t>()].exit_code = end[1].get<int>();
      }
    }
  }
}

}  // namespace tapehead

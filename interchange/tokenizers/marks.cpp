#include "interchange/tokenizers/marks.hpp"

#include <algorithm>
#include <utility>

namespace tapehead {

MarkTexts apart_from(std::span<const std::string> entries, MarkTexts marks) {
  for (std::string* mark : {&marks.unknown, &marks.begin, &marks.end, &marks.mask}) {
    while (std::ranges::find(entries, *mark) != entries.end()) {
      *mark = mark->front() + *mark + mark->back();
    }
  }
  return marks;
}

namespace {

bool begins_with_mark(AddedMarks added) {
  return added == AddedMarks::begin || added == AddedMarks::begin_and_end;
}

bool adds_begin(AddedMarks added) {
  return begins_with_mark(added) || added == AddedMarks::begin_after;
}

bool ends_with_mark(AddedMarks added) {
  return added == AddedMarks::end || added == AddedMarks::begin_and_end;
}

bool adds_end(AddedMarks added) { return ends_with_mark(added) || added == AddedMarks::end_before; }

Json mark_item(const std::string& mark, int type) {
  return {{"SpecialToken", {{"id", mark}, {"type_id", type}}}};
}

// The texts A, B, ... with their marks.
Json template_of(const MarkTexts& texts, const PretrainedMarks& marks, std::string_view names) {
  Json items = Json::array();
  if (begins_with_mark(marks.added)) {
    items.push_back(mark_item(texts.begin, 0));
  }
  if (marks.added == AddedMarks::end_before) {
    items.push_back(mark_item(texts.end, 0));
  }
  int type = 0;
  for (const char name : names) {
    items.push_back({{"Sequence", {{"id", std::string(1, name)}, {"type_id", type}}}});
    if (ends_with_mark(marks.added)) {
      items.push_back(mark_item(texts.end, type));
    }
    if (marks.added == AddedMarks::begin_after) {
      items.push_back(mark_item(texts.begin, type));
    }
    type = marks.token_types ? 1 : 0;
  }
  return items;
}

}  // namespace

Json named_marks(const MarkTexts& texts, const PretrainedMarks& marks) {
  Json named{{"bos_token", texts.begin},
             {"eos_token", texts.end},
             {"unk_token", texts.unknown},
             {"pad_token", marks.padding == end_id ? texts.end : texts.begin}};
  if (marks.added == AddedMarks::begin_and_end) {
    named["cls_token"] = texts.begin;
    named["sep_token"] = texts.end;
  }
  if (marks.mask) {
    named["mask_token"] = texts.mask;
  }
  return named;
}

Json tokenizer_config(const MarkTexts& texts, const PretrainedMarks& marks) {
  Json inputs = Json::array({"input_ids"});
  if (marks.token_types) {
    inputs.push_back("token_type_ids");
  }
  inputs.push_back("attention_mask");
  Json config{{"tokenizer_class", "PreTrainedTokenizerFast"},
              {"clean_up_tokenization_spaces", false},
              // Marks in a text are text; but where a mask is to be found, all marks are.
              {"split_special_tokens", !marks.mask},
              {"model_input_names", std::move(inputs)}};
  if (marks.longest > 0) {
    config["model_max_length"] = marks.longest;
  }
  config.update(named_marks(texts, marks));
  return config;
}

Json post_processor(const MarkTexts& texts, const PretrainedMarks& marks) {
  if (marks.added == AddedMarks::none) {
    return nullptr;
  }
  Json special = Json::object();
  const auto add = [&](const std::string& mark, TokenId id) {
    special[mark] = {{"id", mark}, {"ids", {id}}, {"tokens", {mark}}};
  };
  if (adds_begin(marks.added)) {
    add(texts.begin, begin_id);
  }
  if (adds_end(marks.added)) {
    add(texts.end, end_id);
  }
  return {{"type", "TemplateProcessing"},
          {"single", template_of(texts, marks, "A")},
          {"pair", template_of(texts, marks, "AB")},
          {"special_tokens", std::move(special)}};
}

}  // namespace tapehead

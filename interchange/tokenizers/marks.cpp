#include "interchange/tokenizers/marks.hpp"

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

Json mark_item(const std::string& mark, int type) {
  return {{"SpecialToken", {{"id", mark}, {"type_id", type}}}};
}

// The begin or the end mark.
const std::string& text_of(const MarkTexts& texts, TokenId mark) {
  return mark == begin_id ? texts.begin : texts.end;
}

// The texts A, B, ... with their marks.
Json template_of(const MarkTexts& texts, const PretrainedMarks& marks, std::string_view names) {
  Json items = Json::array();
  if (const auto mark = marks.added.before) {
    items.push_back(mark_item(text_of(texts, *mark), 0));
  }
  int type = 0;
  for (const char name : names) {
    items.push_back({{"Sequence", {{"id", std::string(1, name)}, {"type_id", type}}}});
    if (const auto mark = marks.added.behind) {
      items.push_back(mark_item(text_of(texts, *mark), type));
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
  for (const TokenId id : {begin_id, end_id}) {
    if (marks.added.before == id || marks.added.behind == id) {
      const std::string& mark = text_of(texts, id);
      special[mark] = {{"id", mark}, {"ids", {id}}, {"tokens", {mark}}};
    }
  }
  return {{"type", "TemplateProcessing"},
          {"single", template_of(texts, marks, "A")},
          {"pair", template_of(texts, marks, "AB")},
          {"special_tokens", std::move(special)}};
}

}  // namespace tapehead

// The matrices on a head's way: those of many attentions, computed again by numpy.
#include "lab/inspection/head_walk.hpp"

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "tests/support/program.hpp"
#include "tests/support/random_attention.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// The options that one head has, as a config says them.
Json options_of(const AttentionSpec& spec, Index head) {
  Json options;
  AttentionSpec::walk(
      [&](const Field& field, const auto& option) {
        using Option = std::remove_cvref_t<decltype(option)>;
        Json& json = options[std::string(field.name)];
        if constexpr (std::is_same_v<Option, ByHead<AttentionPattern>>) {
          json = option.at(head).text();
        } else if constexpr (std::is_same_v<Option, ByHead<Score>>) {
          json = name_of(option.at(head));
        } else if constexpr (std::is_enum_v<Option>) {
          json = name_of(option);
        } else {
          json = option;
        }
      },
      spec);
  options["head"] = head;
  options["kind"] = AttentionSite{.kind = spec.kind, .layer = 0}.text();
  options["looks_back"] = spec.looks_back();
  options["d_model"] = spec.d_model;
  return options;
}

Json rows_of(const Tensor& matrix) {
  return mapped(numbers_below(matrix.dim(0)), [&](Index i) {
    return std::vector<Scalar>(matrix.row(i), matrix.row(i) + matrix.dim(1));
  });
}

TEST(HeadWalk, has_matrices_that_numpy_computes_again_from_those_before) {
  constexpr int attentions = 200;
  const TemporaryDirectory here;
  RandomAttention random(11);
  std::mt19937_64 draws(3);
  const auto one_of = [&](auto... values) {
    return std::array{values...}[draws() % sizeof...(values)];
  };
  std::set<std::string> steps_seen;
  for (int i = 0; i < attentions; ++i) {
    ModelOptions options = random.next();
    options.norm_position = one_of(NormPosition::pre, NormPosition::post);
    options.norm = one_of(NormKind::layer_norm, NormKind::rms_norm, NormKind::none);
    TinyModel model(options, static_cast<std::uint64_t>(i + 1));
    model.shake(0.5);
    const Batch batch = batch_of({{3, 4, 5, 6, 7}}, {{5, 4, 3}});
    const HeadNames heads = heads_of(model.transformer);
    const HeadName head = heads[draws() % heads.size()];
    const HeadWalk walk{.head = head,
                        .queries = {},
                        .keys = {},
                        .steps = walk_head(model.transformer, model.store, batch, head)};
    for (const WalkStep& step : walk.steps) {
      steps_seen.insert(std::string(step.row.key));
    }
    const Json json{{"options", options_of(attention_of(model.transformer, head).spec, head.head)},
                    {"norm", name_of(options.norm)},
                    {"epsilon", options.norm_epsilon},
                    {"steps", walk_json(walk, rows_of)["steps"]}};
    write_file_atomically(here / fmt::format("{}.json", i), json_text(json));
  }
  EXPECT_GE(steps_seen.size(), 45U) << fmt::format("{}", fmt::join(steps_seen, ", "));
  const ProgramResult numpy = run_script(
      "/usr/bin/python3",
      {"-B", TAPEHEAD_SOURCE_DIR "/tests/python/walk_test.py", here.path().string()}, here.path());
  EXPECT_EQ(numpy.exit_code, 0) << numpy.errors;
  EXPECT_THAT(numpy.output, HasSubstr(fmt::format("{} walks", attentions)));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

#include "catalog/read/model_check.hpp"

#include <algorithm>
#include <ranges>

#include "base/text/text.hpp"
#include "base/values/units.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog {

namespace {

/// Recounted shapes are within 0.5 % of what is published; buffers and padded tables add a little more.
constexpr double kRecount = 0.006;
constexpr double kFewer = 0.03;
constexpr double kTolerance = 0.1;

struct NarrowFormat {
  std::string_view format;
  double bits;
};
constexpr NarrowFormat kNarrow[] = {{"w4a16", 4}, {"nf4", 4},  {"mxfp4", 4}, {"nvfp4", 4},
                                    {"w8a16", 8}, {"int8", 8}, {"fp8", 8}};

/// Fewest bits of a weight in a file of that format; a configuration may say fp32 of files that are 16 bit wide.
constexpr double kPlainBits = 16;
double least_bits(std::string_view format) {
  const auto* found = std::ranges::find(kNarrow, format, &NarrowFormat::format);
  return found == std::end(kNarrow) ? kPlainBits : found->bits;
}

/// Types in which a value is a parameter.
bool is_plain(const TensorType& type) {
  return type.name == "BF16" || type.name == "F16" || type.name == "F32" || type.name == "F64" ||
         type.name.starts_with("F8_E4") || type.name.starts_with("F8_E5");
}

/// What stands in front of the tokens in one layer's attention, each name with how many times it has them.
struct Projection {
  std::string_view name;
  double queries, keys;
};
constexpr Projection kProjections[] = {
    {"q_proj", 1, 0}, {"k_proj", 0, 1}, {"v_proj", 0, 1}, {"qkv_proj", 1, 2},
    {"wqkv", 1, 2},   {"Wqkv", 1, 2},   {"W_pack", 1, 2}, {"query_key_value", 1, 2},
    {"attn_q", 1, 0}, {"attn_k", 0, 1}, {"attn_v", 0, 1}, {"attn_qkv", 1, 2},
};

const Projection* projection_of(std::string_view module) {
  if (module.find("cross") != std::string_view::npos) return nullptr;
  const auto* found = std::ranges::find(kProjections, module.substr(module.rfind('.') + 1), &Projection::name);
  return found == std::end(kProjections) ? nullptr : found;
}

/// Matrices that make an FFN's inner values, or two times as many where both branches lie together. GPT-2's c_fc lies
/// across and is none of them.
bool is_ffn_input(std::string_view module) {
  static constexpr std::string_view kNames[] = {"gate_proj", "up_proj", "gate_up_proj",  "w1",     "w3",
                                                "fc1",       "fc_in",   "dense_h_to_4h", "ffn_up", "ffn_gate"};
  for (const std::string_view other : {"attn", "expert", "shared", "moe"})
    if (module.find(other) != std::string_view::npos) return false;
  return std::ranges::find(kNames, module.substr(module.rfind('.') + 1)) != std::end(kNames);
}

/// "2 to 31" or "7".
std::string range_text(double first, double last) {
  return first == last ? format("{:g}", first) : say("{:g} to {:g}", first, last);
}

class StoredCheck {
 public:
  StoredCheck(ConfigModel& model, const StoredWeights& stored, const std::string& path)
      : model_(model), m_(model.model), stored_(stored), path_(path) {}

  Result<bool> run() {
    settle_format();
    for (const auto check : {&StoredCheck::layers, &StoredCheck::experts, &StoredCheck::tensors, &StoredCheck::widths,
                             &StoredCheck::projections, &StoredCheck::ffn, &StoredCheck::head, &StoredCheck::vision})
      if (Status same = (this->*check)(); !same) return std::unexpected(same.error());
    return sizes();
  }

 private:
  bool gguf() const { return stored_.layout == "gguf"; }

  std::unexpected<Error> wrong(std::string message) const {
    return usage_error(std::move(message), path_,
                       gguf()
                           ? say("download it again")
                           : say("download the folder again, or name its config.json alone for the figures it gives"));
  }

  /// The stack that holds most: towers of other inputs have stacks of their own.
  static const LayerStack& main_of(const std::vector<LayerStack>& stacks) {
    return *std::ranges::max_element(
        stacks, {}, [](const LayerStack& stack) { return std::pair(stack.elements, stack.layers.size()); });
  }
  const LayerStack& main_stack() const { return main_of(stored_.stacks); }

  /// A mixture is never a dense model, nor the other way round.
  Status experts() const {
    if (stored_.stacks.empty()) return {};
    const double held = experts_in(main_stack());
    const double said = m_.experts.value_or(0);
    if (held < 2 || held == said) return {};
    if (said < 1) return wrong(say("the tensors have {:g} experts, and the configuration has none", held));
    return wrong(say("the tensors have {:g} experts, and the configuration says {:g}", held, said));
  }

  /// What a layer has lost is a small part of the whole: names tell it, sums do not.
  Status tensors() const {
    const LayerKinds& kinds = model_.layer_kinds;
    if (kinds.of_layer.empty() || stored_.stacks.empty() || !shape_is_sure()) return {};
    const LayerStack& main = main_stack();
    if (auto lost = lost_tensors(main, kinds.of_layer)) return wrong(std::move(*lost));
    constexpr std::ptrdiff_t kMostKinds = 300;  // no model has more, and each is compared with every name
    for (const LayerNeeds& needs : kinds.needs | std::views::take(kMostKinds))
      if (const auto lost = lost_kind(main, needs, is_gated(main), m_.is_mla()))
        return wrong(kinds.needs.size() == 1
                         ? say("{} is missing from the tensors of every layer", *lost)
                         : say("{} is missing from the tensors of layer {} and all of its kind", *lost, needs.layer));
    if (least_bits(m_.native_dtype) < kPlainBits)
      if (auto lost = lost_scales(main)) return wrong(std::move(*lost));
    if (gguf()) return {};  // its header says how many tensors there are: none is lost alone
    if (kinds.have_norms && !has_norms(main)) return wrong(say("the tensors of the layers have no norms"));
    if (kinds.has_last_norm && !stored_.has_last_norm)
      return wrong(say("the norm behind the last layer is missing from the tensors"));
    return {};
  }

  /// Three matrices, each by itself: where two are one, it is twice as wide as the FFN. Names alone do not tell it.
  bool is_gated(const LayerStack& main) const {
    const auto is_up = [](const auto& module) {
      return module.first.ends_with("up_proj") || module.first.ends_with("ffn_up");
    };
    if (!m_.gated_ffn.value_or(false) || !m_.ffn_size) return false;
    const auto up = std::ranges::find_if(main.outputs, is_up);
    if (up == main.outputs.end()) return std::ranges::none_of(main.modules, is_up);
    return width_of(up->second) != 2 * *m_.ffn_size;
  }

  Status layers() const {
    if (stored_.stacks.empty() || !m_.layers) return {};
    const LayerStack& main = main_stack();
    double expected = *m_.layers;
    if (m_.decoder_layers && main.prefix.find("decoder") != std::string::npos) expected = *m_.decoder_layers;
    const Gap gap = gap_in(main, expected);
    if (gap.layers > model_.empty_layers)
      return wrong(say("{:g} layers in the configuration, {:g} of them missing from the tensors: {}", expected,
                       gap.layers, range_text(gap.first, gap.last)));
    const double beyond = *main.layers.rbegin() + 1.0;
    const auto is_prediction = [&](std::uint32_t layer) { return stored_.prediction.contains(layer); };
    if (beyond <= expected + model_.prediction_layers) return {};
    for (const std::uint32_t layer : main.layers)
      if (layer >= expected + model_.prediction_layers && !is_prediction(layer))
        return wrong(say("the tensors have {:g} layers, and the configuration says {:g}", beyond, expected));
    return {};
  }

  struct Gap {
    double layers = 0, first = 0, last = 0;
  };
  static Gap gap_in(const LayerStack& stack, double expected) {
    Gap gap;
    for (std::uint32_t i = 0; i < expected; ++i) {
      if (stack.layers.contains(i)) continue;
      if (gap.layers++ == 0) gap.first = i;
      gap.last = i;
    }
    return gap;
  }

  /// The tower that the configuration describes is there, with all its layers and about as many values.
  Status vision() const {
    const VisionTower& tower = model_.tower;
    if (stored_.vision_elements > 0) std::erase(model_.notes, tower_is_missing());  // it is: the files have it
    if (tower.parameters <= 0 || gguf() || stored_.stacks.empty()) return {};
    if (!stored_.has_vision) {
      if (stored_.stacks.size() == 1)
        return vision_judged(say("the vision tower is missing from the tensors, and the configuration has one"));
      model_.notes.push_back(say("which tensors are the vision tower's is not known: they are not checked"));
      return {};
    }
    if (stored_.vision_stacks.empty())
      return vision_judged(say("the layers of the vision tower are missing from the tensors"));
    const LayerStack& main = main_of(stored_.vision_stacks);
    const double beyond = *main.layers.rbegin() + 1.0;
    if (const Gap gap = gap_in(main, tower.layers); gap.layers > 0)
      return vision_judged(
          say("{:g} layers of the vision tower in the configuration, {:g} of them missing from the tensors: {}",
              tower.layers, gap.layers, range_text(gap.first, gap.last)));
    if (beyond > tower.layers)
      return vision_judged(say("the vision tower has {:g} layers in the tensors, and the configuration says {:g}",
                               beyond, tower.layers));
    const std::vector<std::uint32_t> alike(static_cast<std::size_t>(tower.layers), 0);
    if (const auto lost = lost_tensors(main, alike)) return vision_judged(say("in the vision tower {}", *lost));
    if (const auto lost = lost_kind(main, {}, false, false))
      return vision_judged(say("{} is missing from the tensors of every layer of the vision tower", *lost));
    return vision_sizes();
  }

  Status vision_sizes() const {
    constexpr double kLeast = 0.85;
    constexpr double kMost = 1.5;
    const double held = stored_.vision_elements;
    const bool sure = !stored_.types.empty() && stored_.packed_vision_elements <= 0;
    if (!sure || (held >= kLeast * model_.tower.parameters && held <= kMost * model_.recount.vision)) return {};
    return vision_judged(say("the vision tower has {:.2f}e9 values in the files, and {:.2f}e9 by the configuration",
                             held / 1e9, model_.tower.parameters / 1e9));
  }

  Status vision_judged(std::string what) const {
    if (model_.tower.is_known) return wrong(std::move(what));
    model_.notes.push_back(std::move(what));
    return {};
  }

  Status widths() const {
    if (stored_.table_width && model_.table_width > 0 && *stored_.table_width != model_.table_width)
      return wrong(say("the token embedding is {:g} wide, and the configuration says {:g}", *stored_.table_width,
                       model_.table_width));
    if (stored_.table_rows && m_.vocab_size && *stored_.table_rows < *m_.vocab_size * (1 - kTolerance))
      return wrong(say("the token embedding has {:g} rows, and the configuration says {:g}", *stored_.table_rows,
                       *m_.vocab_size));
    return {};
  }

  /// Heads and K/V heads by what the projections give, whatever they are stored as.
  Status projections() const {
    const bool plain = !m_.is_mla() && !m_.kv_full_heads && !m_.kv_full_head_dim && model_.class_known;
    if (!plain || stored_.stacks.empty() || !m_.heads || !m_.kv_heads || !m_.head_dim) return {};
    for (const auto& [module, output] : main_stack().outputs)
      if (const Projection* projection = projection_of(module))
        if (Status same = same_heads(*projection, width_of(output)); !same) return same;
    return {};
  }

  double width_of(const Output& output) const {
    return output.width > 0 ? output.width : output.values / model_.table_width;
  }

  Status same_heads(const Projection& projection, double held) const {
    const bool fused = projection.queries > 0 && projection.keys > 0;
    if (fused && m_.linear_layers) return {};  // of another attention
    const double due = (projection.queries * *m_.heads + projection.keys * *m_.kv_heads) * *m_.head_dim;
    const bool gated = projection.keys <= 0 && held == 2 * due;  // the gate on the queries lies with them
    if (held == due || gated) return {};
    if (fused)
      return wrong(
          say("a layer's queries, keys and values are {:g} together, and the configuration says {:g} heads "
              "and {:g} K/V heads of {:g}",
              held, *m_.heads, *m_.kv_heads, *m_.head_dim));
    if (projection.keys > 0)
      return wrong(say("a layer's keys have {:g} values, and the configuration says {:g} heads of {:g}", held,
                       *m_.kv_heads, *m_.head_dim));
    return wrong(say("a layer's queries have {:g} values, and the configuration says {:g} heads of {:g}", held,
                     *m_.heads, *m_.head_dim));
  }

  Status ffn() const {
    if (stored_.stacks.empty() || model_.layer_kinds.of_layer.empty() || !m_.ffn_size) return {};
    for (const auto& [module, output] : main_stack().outputs) {
      if (!is_ffn_input(module)) continue;
      const double held = width_of(output);
      if (held != *m_.ffn_size && held != 2 * *m_.ffn_size)
        return wrong(say("a layer's FFN is {:g} wide, and the configuration says {:g}", held, *m_.ffn_size));
    }
    return {};
  }

  /// A GGUF's header leaves out how latent and linear attention are shaped.
  bool shape_is_sure() const { return !gguf() || (!m_.is_mla() && !m_.linear_layers); }

  bool lacks_head() const { return !stored_.has_head && model_.recount.head > 0; }

  static bool is_packed(const TensorType& type) {
    return type.name == "U8" || type.name == "I8" || type.name == "I32" || type.name == "F4";
  }

  /// Format of the weights by the types of the tensors alone: packed integers hold what the plain ones leave.
  std::string_view stored_format() const {
    double packed_bytes = 0, plain = 0;
    bool floats = false;
    for (const TensorType& type : stored_.types) {
      floats = floats || type.name.starts_with("F8_E4") || type.name.starts_with("F8_E5");
      if (is_packed(type))
        packed_bytes += type.bytes;
      else
        plain += type.elements;
    }
    constexpr double kBetweenFourAndEight = 6;
    const double held = std::max(1.0, model_.recount.total() + model_.prediction_parameters - plain);
    constexpr double kTables = 0.01;  // of ids and the like
    if (packed_bytes > kTables * stored_.bytes)
      return 8 * packed_bytes < kBetweenFourAndEight * held ? "w4a16" : "w8a16";
    if (floats) return "fp8";
    return stored_.precision.empty() ? std::string_view("bf16") : stored_.precision;
  }

  /// A quantization_config beside weights that are not stored so: what the files store is taken.
  void settle_format() {
    const std::string_view said = m_.native_dtype;
    if (gguf() || stored_.types.empty() || least_bits(said) >= kPlainBits) return;
    const std::string_view stored = stored_format();
    const bool agrees = (said == "fp8") == (stored == "fp8") && least_bits(stored) < kPlainBits;
    if (agrees) return;
    model_.notes.push_back(
        say("quantization_config says {}, and the files store {}: counted as the files have it", said, stored));
    model_.model.native_dtype = model_.texts.emplace_back(stored);
  }

  /// A decoder's class has an output projection; what only embeds has none.
  Status head() const {
    if (!stored_.has_table && !stored_.stacks.empty() && model_.class_known && model_.recount.embedding > 0)
      return wrong(say("the token embedding is missing from the tensors"));
    if (!lacks_head() || !model_.is_for_generation || gguf() || stored_.stacks.empty()) return {};
    return wrong(
        say("the output projection (lm_head) is missing from the tensors, and the configuration does not tie it to the "
            "token embedding"));
  }

  /// What the shape needs: of the text alone, where towers can be told apart.
  double needed(bool with_vision) const {
    const Parameters& p = model_.recount;
    double all = gguf() || !m_.params_b ? p.total() : std::max(p.total() * (1 - kTolerance), *m_.params_b * 1e9);
    if (!with_vision) all -= p.vision;
    if (lacks_head()) all -= p.head;
    return all;
  }

  /// Values where every one is a parameter; nothing for packed formats.
  Number values() const {
    double others = 0;
    for (const TensorType& type : stored_.types)
      if (!is_plain(type)) others += type.bytes;
    constexpr double kBuffers = 0.01;
    if (stored_.types.empty() || others > kBuffers * stored_.bytes) return std::nullopt;
    return stored_.elements - stored_.vision_elements - stored_.unloaded_elements;
  }

  Result<bool> sizes() {
    if (gguf()) return by_values(stored_.elements - stored_.vision_elements, shape_is_sure());
    if (const Number plain = values()) return by_values(*plain, true);
    // Packed, or only the sum is known: bounds by what a weight can take.
    const bool only_sum = stored_.types.empty();
    const double parameters = needed(true);
    const double loaded = stored_.bytes - stored_.unloaded_bytes;
    constexpr double kMostBytesEach = 4;
    const double least = (1 - kTolerance) * parameters * least_bits(m_.native_dtype) / 8;
    const double most = (1 + kTolerance) * (parameters + model_.prediction_parameters) * kMostBytesEach;
    if (loaded >= least && loaded <= most) return true;
    const std::string what =
        only_sum
            ? say("'total_size' is {:.1f} GiB, and the configuration's {:.1f}e9 parameters take {:.1f} GiB or more",
                  loaded / kGiB, parameters / 1e9, least / kGiB)
            : say("the files have {:.1f} GiB, and the configuration's {:.1f}e9 parameters take {:.1f} GiB or more",
                  loaded / kGiB, parameters / 1e9, least / kGiB);
    if (loaded > most)
      return wrong(say("the files have {:.1f} GiB, far more than the configuration's {:.1f}e9 parameters",
                       loaded / kGiB, parameters / 1e9));
    return judged(what, false);
  }

  Result<bool> by_values(double held, bool recount_is_sure) {
    const double parameters = needed(false);
    const bool few = held < (1 - kFewer) * parameters;
    const bool many = held > (1 + kTolerance) * parameters && !gguf();  // a GGUF's shape is its own header's
    const bool fewer = held < (1 - kRecount) * parameters && !gguf();
    if ((!few && !many && !fewer) || !recount_is_sure) return true;
    const std::string what =
        say("the files have {:.2f}e9 values, and the configuration's shape has {:.2f}e9 parameters", held / 1e9,
            parameters / 1e9);
    if (few || many) return judged(what, many);
    model_.notes.push_back(say("{}: the larger is used", what));
    return false;
  }

  Result<bool> judged(const std::string& what, bool files_are_larger) {
    if (model_.class_known) return wrong(what);
    model_.notes.push_back(
        say("{}: the larger is used, since the class '{}' is not known", what, printable(m_.family)));
    return files_are_larger;
  }

  ConfigModel& model_;
  const Model& m_;
  const StoredWeights& stored_;
  const std::string& path_;
};

}  // namespace

Result<bool> check_stored(ConfigModel& model, const StoredWeights& stored, const std::string& path) {
  return StoredCheck(model, stored, path).run();
}

}  // namespace gpusel::catalog

#include "catalog/read/model_check.hpp"

#include <algorithm>

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
double least_bits(std::string_view format) {
  constexpr double kPlain = 16;
  const auto* found = std::ranges::find(kNarrow, format, &NarrowFormat::format);
  return found == std::end(kNarrow) ? kPlain : found->bits;
}

/// Types in which a value is a parameter.
bool is_plain(const TensorType& type) {
  return type.name == "BF16" || type.name == "F16" || type.name == "F32" || type.name == "F64" ||
         type.name.starts_with("F8_E4") || type.name.starts_with("F8_E5");
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
    if (Status same = layers(); !same) return std::unexpected(same.error());
    if (Status whole = tensors(); !whole) return std::unexpected(whole.error());
    if (Status same = widths(); !same) return std::unexpected(same.error());
    if (Status same = head(); !same) return std::unexpected(same.error());
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
  const LayerStack& main_stack() const {
    return *std::ranges::max_element(
        stored_.stacks, {}, [](const LayerStack& stack) { return std::pair(stack.elements, stack.layers.size()); });
  }

  /// What a layer has lost is a small part of the whole: names tell it, sums do not.
  Status tensors() const {
    const LayerKinds& kinds = model_.layer_kinds;
    if (kinds.of_layer.empty() || stored_.stacks.empty() || !shape_is_sure()) return {};
    const LayerStack& main = main_stack();
    if (auto lost = lost_tensors(main, kinds.of_layer)) return wrong(std::move(*lost));
    if (const double held = experts_in(main); held > 0 && held < m_.experts.value_or(0))
      return wrong(say("the tensors have {:g} experts, and the configuration says {:g}", held, *m_.experts));
    if (const std::string_view lost = lost_kind(main); !lost.empty() && !m_.is_mla())
      return wrong(say("'{}' is missing from the tensors of every layer", lost));
    if (gguf()) return {};  // its header says how many tensors there are: none is lost alone
    if (kinds.have_norms && !has_norms(main)) return wrong(say("the tensors of the layers have no norms"));
    if (kinds.has_last_norm && !stored_.has_last_norm)
      return wrong(say("the norm behind the last layer is missing from the tensors"));
    return {};
  }

  Status layers() const {
    if (stored_.stacks.empty() || !m_.layers) return {};
    const LayerStack& main = main_stack();
    double expected = *m_.layers;
    if (m_.decoder_layers && main.prefix.find("decoder") != std::string::npos) expected = *m_.decoder_layers;
    double missing = 0, first = 0, last = 0;
    for (std::uint32_t i = 0; i < expected; ++i) {
      if (main.layers.contains(i)) continue;
      if (missing++ == 0) first = i;
      last = i;
    }
    if (missing > model_.empty_layers)
      return wrong(say("{:g} layers in the configuration, {:g} of them missing from the tensors: {}", expected, missing,
                       range_text(first, last)));
    const double beyond = *main.layers.rbegin() + 1.0;
    const auto is_prediction = [&](std::uint32_t layer) { return stored_.prediction.contains(layer); };
    if (beyond <= expected + model_.prediction_layers) return {};
    for (const std::uint32_t layer : main.layers)
      if (layer >= expected + model_.prediction_layers && !is_prediction(layer))
        return wrong(say("the tensors have {:g} layers, and the configuration says {:g}", beyond, expected));
    return {};
  }

  Status widths() const {
    if (stored_.table_width && model_.table_width > 0 && *stored_.table_width != model_.table_width)
      return wrong(say("the token embedding is {:g} wide, and the configuration says {:g}", *stored_.table_width,
                       model_.table_width));
    if (stored_.table_rows && m_.vocab_size && *stored_.table_rows < *m_.vocab_size * (1 - kTolerance))
      return wrong(say("the token embedding has {:g} rows, and the configuration says {:g}", *stored_.table_rows,
                       *m_.vocab_size));
    const bool plain = !m_.is_mla() && !m_.kv_full_heads && !m_.kv_full_head_dim && model_.class_known;
    if (!stored_.key_rows || !plain || !m_.kv_heads || !m_.head_dim) return {};
    if (*stored_.key_rows != *m_.kv_heads * *m_.head_dim)
      return wrong(say("a layer's keys have {:g} values, and the configuration says {:g} heads of {:g}",
                       *stored_.key_rows, *m_.kv_heads, *m_.head_dim));
    return {};
  }

  /// A GGUF's header leaves out how latent and linear attention are shaped.
  bool shape_is_sure() const { return !gguf() || (!m_.is_mla() && !m_.linear_layers); }

  bool lacks_head() const { return !stored_.has_head && model_.recount.head > 0; }

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

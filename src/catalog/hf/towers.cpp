// Towers beside a text model: how an image becomes tokens, and what fits them to the model's width.
#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/hf/shape.hpp"

namespace gpusel::catalog::hf {

namespace {

/// What a tower's class leaves out of its configuration, and how its blocks are built.
struct TowerClass {
  std::string_view type;
  double hidden, ffn, layers, patch, image;  // defaults
  bool gated = false;
  bool biased = true;  // attention and FFN
  bool norm_bias = true;
  double norms = 2;       // per layer
  bool positions = true;  // learned
  bool class_token = false;
  double outer_norms = 1;
  bool patch_bias = true;
};

constexpr TowerClass kTowers[] = {
    {"clip_vision_model", 768, 3072, 12, 32, 224, false, true, true, 2, true, true, 2, false},
    {"siglip_vision_model", 768, 3072, 12, 16, 224},
    {"siglip2_vision_model", 768, 3072, 12, 16, 224},
    {"idefics3_vision", 1152, 3072, 12, 32, 224},
    {"idefics3", 1152, 3072, 12, 32, 224},
    {"smolvlm_vision", 1152, 3072, 12, 32, 224},
    {"dinov2", 768, 3072, 12, 14, 224, false, true, true, 2, true, true},
    {"vit", 768, 3072, 12, 16, 224, false, true, true, 2, true, true},
    {"intern_vit_6b", 3200, 12800, 48, 14, 224, false, true, true, 2, true, true, 0},
    {"internvl_vision", 1024, 4096, 24, 14, 448, false, true, true, 2, true, true, 0},
    {"pixtral", 1024, 4096, 24, 16, 1024, true, false, false, 2, false, false, 1, false},
    {"qwen2_vl", 1280, 5120, 32, 14, 0, false, true, true, 2, false, false, 0, false},
    {"qwen2_5_vl", 1280, 3420, 32, 14, 0, true, true, false, 2, false, false, 0, false},
    {"qwen3_vl", 1152, 4304, 27, 16, 0, false, true, true, 2, false, false, 0},
    {"qwen3_vl_moe", 1152, 4304, 27, 16, 0, false, true, true, 2, false, false, 0},
    {"qwen3_5", 1152, 4304, 27, 16, 0, false, true, true, 2, false, false, 0},
    {"qwen3_5_vision", 1152, 4304, 27, 16, 0, false, true, true, 2, false, false, 0},
    {"qwen3_5_moe", 1152, 4304, 27, 16, 0, false, true, true, 2, false, false, 0},
    {"qwen3_5_moe_vision", 1152, 4304, 27, 16, 0, false, true, true, 2, false, false, 0},
    {"llama4_vision_model", 768, 5632, 34, 14, 448, false, true, true, 2, true, true, 2, false},
    {"moonvit", 1152, 4304, 27, 14, 896, false, true, true, 2, true, false, 1},
    {"gemma4_vision", 768, 3072, 16, 16, 0, true, false, false, 4, false, false, 0, false},
};

constexpr std::string_view kPlainVit = "";

struct Tower {
  double parameters = 0;
  double width = 0;
  double layers = 0;
};

const TowerClass* tower_class(std::string_view type) {
  const auto* found =
      std::find_if(std::begin(kTowers), std::end(kTowers), [&](const TowerClass& each) { return each.type == type; });
  return found == std::end(kTowers) ? nullptr : found;
}

/// Which tower a wrapper means where the vision part does not name itself.
std::string_view usual_tower(std::string_view wrapper) {
  if (wrapper.starts_with("llava") || wrapper == "clip" || wrapper == "vipllava") return "clip_vision_model";
  if (wrapper == "internvl_chat") return "intern_vit_6b";
  if (wrapper == "gemma3" || wrapper == "paligemma" || wrapper == "siglip") return "siglip_vision_model";
  if (wrapper == "kimi_vl" || wrapper == "kimi_k25") return "moonvit";
  return wrapper;
}

/// Qwen joins neighbouring patches with an MLP; later towers have one more behind some layers.
double qwen_merger(const Keys& v, std::string_view type, double width, double text_width) {
  const double merged = width * std::pow(v.size_or({"spatial_merge_size"}, 2), 2);
  const double out = type == "qwen2_vl" ? text_width : v.size_or({"out_hidden_size"}, text_width);
  const double mlp = merged * merged + merged + merged * out + out;
  if (type == "qwen2_vl") return mlp + 2 * width;
  if (type == "qwen2_5_vl") return mlp + width;
  const auto deep = static_cast<double>(v.counts("deepstack_visual_indexes").size());
  return mlp + 2 * width + deep * (mlp + 2 * merged) + v.size_or({"num_position_embeddings"}, 2304) * width;
}

double patches(const Keys& v, const TowerClass& t, double width) {
  const double patch = v.largest({"patch_size"}).value_or(t.patch);
  const double channels = v.size_or({"num_channels", "in_channels", "in_chans"}, 3);
  const double frames = t.type.starts_with("qwen") ? v.largest({"temporal_patch_size"}).value_or(2) : 1;
  double count = channels * frames * patch * patch * width + (t.patch_bias ? width : 0);
  const double image = v.largest({"image_size"}).value_or(t.image);
  if (t.positions && patch > 0) count += std::pow(std::floor(image / patch), 2) * width;
  if (t.class_token) count += (t.positions ? 2 : 1) * width;
  return count;
}

Tower count_tower(const Keys& v, const TowerClass& t, double text_width) {
  Tower tower;
  const double w =
      v.size_or({t.type == "qwen2_vl" ? "embed_dim" : "hidden_size", "embed_dim", "width", "hidden_dim"}, t.hidden);
  const double f = v.has("mlp_ratio") && !v.has("intermediate_size")
                       ? v.number({"mlp_ratio"}, kLeastRatio).value_or(4) * w
                       : v.size_or({"intermediate_size"}, t.ffn);
  const double layers = v.size_or({"num_hidden_layers", "depth", "layers"}, t.layers);
  const double matrices = t.gated ? 3 : 2;
  double each = 4 * w * w + matrices * w * f + t.norms * w * (t.norm_bias ? 2 : 1);
  if (t.biased) each += 4 * w + (matrices - 1) * f + w;
  if (t.type.starts_with("intern")) each += 2 * w;  // scales of both branches
  tower.width = w;
  tower.layers = layers;
  tower.parameters = layers * each + patches(v, t, w) + t.outer_norms * w * (t.norm_bias ? 2 : 1);
  if (t.type.starts_with("qwen")) tower.parameters += qwen_merger(v, t.type, w, text_width);
  if (t.type == "gemma4_vision") tower.parameters += 2 * v.size_or({"position_embedding_size"}, 10240) * w;
  if (t.type == "llama4_vision_model") {
    const double between = v.size_or({"intermediate_size"}, t.ffn);
    const double in = v.size_or({"projector_input_dim"}, 4096);
    const double out = v.size_or({"projector_output_dim"}, 4096);
    tower.parameters += between * in + in * out;
    tower.width = v.size_or({"vision_output_dim"}, out);
  }
  return tower;
}

/// Llama 3.2's: two stacks, and positions for every arrangement of tiles.
Tower count_mllama(const Keys& v) {
  const double w = v.size_or({"hidden_size"}, 1280);
  const double f = v.size_or({"intermediate_size"}, 5120);
  const double local = v.size_or({"num_hidden_layers"}, 32);
  const double global = v.count_or({"num_global_layers"}, 8);
  const double patch = v.size_or({"patch_size"}, 14);
  const double rows = std::pow(std::floor(v.size_or({"image_size"}, 448) / patch), 2) + 1;
  const double tiles = v.size_or({"max_num_tiles"}, 4);
  const double arrangements = v.size_or({"max_aspect_ratio_id"}, 8) + 1;
  const double each = 4 * w * w + 2 * w * f + f + w + 4 * w;
  Tower tower;
  tower.width = v.size_or({"vision_output_dim"}, 7680);
  tower.layers = local;
  tower.parameters = (local + global) * each + 2 * global + 3 * patch * patch * w + w + rows * w + 4 * w +
                     arrangements * tiles * w * (rows + 2);
  return tower;
}

/// From the tower's width to the text model's.
double projector(const Keys& root, std::string_view wrapper, double vision, double text) {
  const bool biased = root.truth("multimodal_projector_bias", wrapper != "mistral3");
  const double two = vision * text + text * text + (biased ? 2 * text : 0);
  const double merge = root.size_or({"spatial_merge_size"}, 2);
  if (wrapper.starts_with("qwen")) return 0;  // counted with the tower
  if (wrapper == "gemma3" || wrapper == "gemma4") return vision * text + vision;
  if (wrapper == "paligemma" || wrapper == "mllama") return vision * text + text;
  if (wrapper == "llama4") return vision * text;
  if (wrapper == "idefics3" || wrapper == "smolvlm")
    return vision * std::pow(root.size_or({"scale_factor"}, 2), 2) * text;
  if (wrapper == "mistral3") return two + vision + merge * merge * vision * vision;
  if (wrapper.starts_with("internvl")) {
    const double joined = 4 * vision;
    return 2 * joined + joined * text + text * text + 2 * text;
  }
  if (wrapper == "kimi_vl") return 2 * vision + std::pow(4 * vision, 2) + 4 * vision + 4 * vision * text + text;
  return two;
}

/// A class of such models, or a file around a text model that has no other reason: none of sound.
bool reads_images(const Shape& s, std::string_view wrapper) {
  const ModelClass* whole = find_class(wrapper);
  if (whole != nullptr && whole->kind == ModelKind::vlm) return true;
  return s.nested || s.root.has("mm_vision_tower");
}

}  // namespace

Towers count_towers(const Shape& s) {
  Towers out;
  const std::string wrapper = s.root.text("model_type");
  for (const std::string_view key : {"audio_config", "audio_encoder", "audio_processor"})
    if (s.root.find(key) != nullptr)
      out.unknown = say("the size of the tower in '{}' cannot be derived from its keys", key);
  const auto v = s.root.map("vision_config");
  out.vision_missing = !v && reads_images(s, wrapper);
  if (!v) return out;
  const std::string named = v->text("model_type");
  const std::string_view type = named.empty() ? usual_tower(wrapper) : std::string_view(named);
  Tower tower;
  if (type == "mllama_vision_model" || wrapper == "mllama") {
    tower = count_mllama(*v);
    out.vision_known = true;
  } else if (const TowerClass* known = tower_class(type)) {
    tower = count_tower(*v, *known, s.hidden());
    out.vision_known = true;
  } else if (v->has("intermediate_size") && v->has("patch_size") && (v->has("hidden_size") || v->has("embed_dim")) &&
             (v->has("num_hidden_layers") || v->has("depth"))) {
    static constexpr TowerClass kUsual{kPlainVit, 0, 0, 0, 0, 224};
    tower = count_tower(*v, kUsual, s.hidden());
    out.notes.push_back(say("the vision tower '{}' is not known: counted as a plain transformer", printable(type)));
  } else {
    out.unknown =
        say("the size of the tower in 'vision_config' ('{}') cannot be derived from its keys", printable(type));
    return out;
  }
  out.vision_layers = tower.layers;
  out.vision_parameters = tower.parameters;
  out.parameters = tower.parameters + projector(s.root, wrapper, tower.width, s.hidden());
  return out;
}

namespace {

/// A part leaves out what is its class's own where all it says of its size is, and that is said; elsewhere it is lost.
void settle_sizes(const Keys& part, const TowerClass& usual, std::vector<std::string>& notes) {
  struct Size {
    Keys::Names keys;
    double usual;
  };
  const Size sizes[] = {{{"hidden_size", "embed_dim", "width", "hidden_dim"}, usual.hidden},
                        {{"intermediate_size", "mlp_ratio"}, usual.ffn},
                        {{"num_hidden_layers", "depth", "layers"}, usual.layers}};
  const auto said = [&](const Size& size) {
    return std::ranges::any_of(size.keys, [&](auto key) { return part.has(key); });
  };
  const bool own = std::ranges::all_of(sizes, [&](const Size& size) {
    return !said(size) || part.has("mlp_ratio") || part.number(size.keys, 0) == size.usual;
  });
  for (const Size& size : sizes) {
    if (said(size)) continue;
    const std::string_view key = *size.keys.begin();
    if (own)
      notes.push_back(
          say("'{}' is missing: {:g}, the published default of '{}', is taken", key, size.usual, usual.type));
    else
      part.fail_reading(
          {ErrorKind::usage, say("the model's shape is not clear: '{}' is missing", key), part.file(), {}});
  }
}

/// The text tower beside a vision tower.
constexpr TowerClass kClipText{"clip_text_model", 512, 2048, 12, 0, 0},
    kSiglipText{"siglip_text_model", 768, 3072, 12, 0, 0};

}  // namespace

double count_standalone_tower(const Shape& s, std::vector<std::string>& notes) {
  const std::string type = s.root.text("model_type");
  const auto vision = s.root.map("vision_config");
  const std::string named = type == "clip" ? "clip_vision_model" : type == "siglip" ? "siglip_vision_model" : type;
  const TowerClass* known = tower_class(named);
  if (known == nullptr) return 0;
  const bool pair = type == "clip" || type == "siglip";
  for (const std::string_view part : {"vision_config", "text_config"})
    if (pair && !s.root.has(part))
      s.root.fail_reading(
          {ErrorKind::usage, say("the model's shape is not clear: '{}' is missing", part), s.root.file(), {}});
  settle_sizes(vision ? *vision : s.root, *known, notes);
  double count = count_tower(vision ? *vision : s.root, *known, 0).parameters;
  if (type == "siglip" || type == "siglip_vision_model") {  // attention that pools the patches
    const Keys& v = vision ? *vision : s.root;
    const double w = v.size_or({"hidden_size"}, known->hidden);
    const double f = v.size_or({"intermediate_size"}, known->ffn);
    count += 4 * w * w + 4 * w + w + 2 * w * f + f + w + 2 * w;
  }
  const auto text = s.root.map("text_config");
  if (!pair || !text || !vision) return count;
  const Keys& t = *text;
  const bool clip = type == "clip";
  const TowerClass& usual = clip ? kClipText : kSiglipText;
  settle_sizes(t, usual, notes);
  const double w = t.size_or({"hidden_size"}, usual.hidden);
  const double f = t.size_or({"intermediate_size"}, usual.ffn);
  const double layers = t.size_or({"num_hidden_layers"}, usual.layers);
  const double tables =
      t.size_or({"vocab_size"}, clip ? 49408 : 32000) + t.size_or({"max_position_embeddings"}, clip ? 77 : 64);
  count += tables * w + layers * (4 * w * w + 4 * w + 2 * w * f + f + w + 4 * w) + 2 * w;
  const double joint = s.root.size_or({"projection_dim"}, clip ? 512 : w);
  const double vision_width = vision->size_or({"hidden_size"}, known->hidden);
  return count + (clip ? joint * (w + vision_width) + 1 : w * w + w + 2);
}

}  // namespace gpusel::catalog::hf

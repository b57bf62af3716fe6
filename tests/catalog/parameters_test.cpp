// Parameter counts and cache sizes against published ones, worked out by hand.
#include <catch2/catch.hpp>

#include "catalog/records/parameters.hpp"
#include "listing.hpp"

namespace parameters_test {

using namespace gpusel;
using namespace gpusel::test;
using catalog::Model;
using catalog::Parameters;

namespace {

const catalog::Catalog& shipped() {
  static const catalog::Catalog c = embedded();
  return c;
}

const Model& model(const std::string& name) {
  const auto found = shipped().model(name);
  if (!found) FAIL(found.error().message);
  return **found;
}

Parameters parts(const Model& model) {
  const auto p = catalog::parameters_of(model);
  if (!p) FAIL(p.error().message);
  return *p;
}

Approx about(double value) { return Approx(value).epsilon(1e-6); }

}  // namespace

TEST_CASE("published totals are kept to the parameter") {
  struct Case {
    const char* name;
    double total, tolerance;
  };
  const auto given = GENERATE(Case{"llama-7b", 6738415616, 1e-6}, Case{"llama-3.1-8b", 8030261248, 1e-6},
                              Case{"llama-3.1-70b", 70553706496, 1e-6}, Case{"gpt3-175b", 175e9, 0.003},
                              Case{"mixtral-8x7b", 46702792704, 1e-6}, Case{"bert-base", 109482240, 1e-6},
                              Case{"deepseek-v3", 671026419200, 1e-6});
  CAPTURE(given.name);
  CHECK(parts(model(given.name)).total() == Approx(given.total).epsilon(given.tolerance));
}

TEST_CASE("the parts of LLaMA 7B add up by hand") {
  const Parameters p = parts(model("llama-7b"));
  CHECK(p.embedding == 131072000);     // 32,000 × 4,096
  CHECK(p.head == 131072000);          // not tied
  CHECK(p.body == about(6476271616));  // 32 × (4 × 4,096² + 3 × 4,096 × 11,008 + 2 × 4,096) + 4,096
  CHECK(p.experts == 0);
  CHECK(p.layers == 32);
  CHECK(p.total() == about(6738415616));
  CHECK(p.active(p.head) == about(6607343616));  // all but the embedding table
}

TEST_CASE("grouped queries need smaller key and value matrices") {
  CHECK(catalog::attention_parameters(model("llama-7b")) == 67108864);      // 4 × 4,096²
  CHECK(catalog::attention_parameters(model("llama-3.1-8b")) == 41943040);  // 4,096 × 128 × (32 + 16) + 4,096²
}

TEST_CASE("the experts of Mixtral 8x7B hold most of it and a token visits two of eight") {
  const Parameters p = parts(model("mixtral-8x7b"));
  CHECK(p.experts == 45097156608);  // 32 layers × 8 experts × 3 × 4,096 × 14,336
  CHECK(p.routed_share == 0.25);
  CHECK(p.moe_layers == 32);
  // 46,702,792,704 − 45,097,156,608 − 131,072,000 (embedding) + 45,097,156,608 / 4
  CHECK(p.active(p.head) + p.embedding == Approx(12879925248.0).epsilon(1e-5));
}

TEST_CASE("latent attention counts its low-rank matrices") {
  // 7,168 × 1,536 + 1,536 × 128 × 192 + 7,168 × 576 + 512 × 128 × 256 + 128 × 128 × 7,168
  CHECK(catalog::attention_parameters(model("deepseek-v3")) == 187105280);
}

TEST_CASE("DeepSeek V3 activates 37 of its 671 billion parameters") {
  const Parameters p = parts(model("deepseek-v3"));
  CHECK(p.experts == about(653908770816.0));  // 58 layers × 256 experts × 3 × 7,168 × 2,048
  CHECK(p.routed_share == 0.03125);           // 8 of 256
  CHECK(p.moe_layers == 58);
  CHECK((p.active(p.head) + p.embedding) / 1e9 == Approx(37.5).epsilon(0.02));
}

TEST_CASE("the head of an encoder is tied to its embedding") {
  const Parameters p = parts(model("bert-base"));
  CHECK(p.head == 0);
  CHECK(p.embedding == 23440896);  // 30,522 × 768
  CHECK(p.ffn_matrices == 2);
}

TEST_CASE("the parts of every shipped model add up to its size and none is negative") {
  std::size_t counted = 0;
  for (const Model& m : shipped().models()) {
    const auto p = catalog::parameters_of(m);
    if (!p) continue;
    ++counted;
    CAPTURE(m.id);
    CHECK(p->total() == about(*m.params_b * 1e9));
    for (const double part : {p->embedding, p->head, p->body, p->experts, p->vision, p->mtp, p->layer_embeddings})
      CHECK(part >= 0);
    CHECK(p->routed_share >= 0);
    CHECK(p->routed_share <= 1);
    CHECK(p->loaded() <= p->total());
  }
  CHECK(counted > 200);
}

TEST_CASE("the shape alone gives the size of plain models") {
  CHECK(*catalog::parameters_from_shape(model("llama-7b")) == about(6.738415616));
  CHECK(*catalog::parameters_from_shape(model("llama-3.1-8b")) == about(8.030261248));
  CHECK(*catalog::parameters_from_shape(model("llama-3.1-70b")) == about(70.553706496));
  CHECK(*catalog::parameters_from_shape(model("mixtral-8x7b")) == about(46.702792704));
  CHECK(*catalog::parameters_from_shape(model("gpt3-175b")) == Approx(174.6).epsilon(1e-3));
  CHECK(*catalog::parameters_from_shape(model("deepseek-v3")) == Approx(671.0264).epsilon(1e-4));
}

TEST_CASE("a size below what the shape needs is kept and its parts are scaled") {
  Model m = model("mixtral-8x7b");
  m.params_b = 40;  // the experts alone are 45.1
  m.active_params_b = {};
  const Parameters p = parts(m);
  CHECK(p.total() == about(40e9));
  CHECK(p.body > 0);
  CHECK(p.embedding == p.head);
}

TEST_CASE("a size of less than half or more than twice the shape's is in another unit") {
  Model m = model("llama-7b");  // 6.74 B by its shape
  for (const double size : {3.38, 13.4, 6.7}) {
    m.params_b = size;
    CHECK(catalog::parameters_of(m));
  }
  for (const double size : {3.36, 13.6, 6738.0, 0.00674}) {
    m.params_b = size;
    CHECK_FALSE(catalog::parameters_of(m));
  }
  // Layers of several kinds: the formula is not the whole of it.
  m.attention = "gqa+mamba2";
  CHECK(catalog::parameters_of(m));
}

TEST_CASE("a model without a shape cannot be counted") {
  Model m;
  m.id = "x";
  m.params_b = 7;
  CHECK_FALSE(catalog::parameters_of(m));
  m.layers = 32;
  CHECK_FALSE(catalog::parameters_of(m));
  CHECK_FALSE(catalog::parameters_from_shape(m).has_value());
}

TEST_CASE("multi-token prediction is stored and not loaded") {
  Model m = model("llama-7b");
  m.params_b = 7.0;
  m.mtp_params_b = 0.5;
  const Parameters p = parts(m);
  CHECK(p.total() == about(7e9));
  CHECK(p.loaded() == about(6.5e9));
}

TEST_CASE("one more token costs the cache what the shape says") {
  struct Case {
    const char* name;
    double bytes;
  };
  const auto given = GENERATE(Case{"llama-7b", 524288},       // 2 × 32 layers × 32 heads × 128 × 2 bytes
                              Case{"llama-3.1-8b", 131072},   // 2 × 32 × 8 × 128 × 2
                              Case{"llama-3.1-70b", 327680},  // 2 × 80 × 8 × 128 × 2
                              Case{"gpt3-175b", 4718592},     // 2 × 96 × 96 × 128 × 2
                              Case{"mixtral-8x7b", 131072},   // experts have no cache
                              Case{"deepseek-v3", 70272});    // 61 × (512 + 64) × 2
  CAPTURE(given.name);
  CHECK(catalog::kv_bytes_per_token_fp16(model(given.name)) == given.bytes);
}

TEST_CASE("an encoder keeps no cache and an image model has none to speak of") {
  CHECK(catalog::kv_bytes_per_token_fp16(model("bert-base")) == 0.0);
  Model m;
  m.kind = catalog::ModelKind::diffusion;
  CHECK_FALSE(catalog::kv_bytes_per_token_fp16(m).has_value());
}

TEST_CASE("layers with a window count towards the cache and layers with a state do not") {
  Model m;
  m.kind = catalog::ModelKind::decoder_llm;
  m.layers = 10;
  m.heads = 8;
  m.kv_heads = 2;
  m.head_dim = 64;
  CHECK(catalog::kv_bytes_per_token_fp16(m) == 5120.0);  // 2 × 10 × 2 × 64 × 2
  m.kv_full_layers = 3;
  CHECK(catalog::kv_bytes_per_token_fp16(m) == 1536.0);  // 2 × 3 × 2 × 64 × 2
  m.kv_window_layers = 5;
  CHECK(catalog::kv_bytes_per_token_fp16(m) == 4096.0);  // 2 × 8 × 2 × 64 × 2
}

TEST_CASE("what a description of a mixture leaves open follows from its sizes") {
  Model m;
  m.layers = 32;
  m.hidden_size = 4096;
  m.heads = 32;
  m.kv_heads = 8;
  m.vocab_size = 32000;
  m.experts = 8;
  m.ffn_size = m.moe_ffn_size = 14336;
  m.params_b = 46.7;
  m.active_params_b = 12.9;
  Model without_active = m;
  catalog::complete_experts(m);
  CHECK(m.experts_per_token == 2.0);  // 8 × (1 − 33.8 ÷ 45.1)
  CHECK(m.moe_ffn_size == 14336.0);
  without_active.active_params_b = {};
  catalog::complete_experts(without_active);
  CHECK(without_active.experts_per_token == 2.0);  // nothing tells
  // Experts as wide as that would be larger than the model: the width is that of its dense layers.
  Model dense_width = m;
  dense_width.experts = 64;
  catalog::complete_experts(dense_width);
  CHECK(*dense_width.moe_ffn_size == Approx(14336 / 8.0).epsilon(0.01));
}

}  // namespace parameters_test

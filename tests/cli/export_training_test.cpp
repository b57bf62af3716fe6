// Commands and configurations that train with the plan's settings, and work that other published tools do.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "support/exports.hpp"

namespace export_training_test {

using namespace gpusel::test;
using Json = nlohmann::json;

TEST_CASE("Megatron gets what it asserts", "[export]") {
  const std::string dense = exported("torchrun", "megatron");
  for (const char* part : {"CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun", "--save-interval \"$SAVE_INTERVAL\"",
                           "--rotary-base \"$ROTARY_BASE\"", ": \"${OUTPUT:?}\""})
    CHECK(has(dense, part));
  // 8 GPUs a stage: experts over 8 of them leave none for tensor parallelism.
  const Run experts = ask({"export", "torchrun",    "--model",      "mixtral-8x7b", "--task",  "pretrain", "--tokens",
                           "1e9",    "--framework", "megatron",     "--tp",         "2",       "--pp",     "2",
                           "--ep",   "8",           "--allow-list", "p5.48xlarge",  "--cloud", "aws",      "--nodes",
                           "2"});
  INFO(experts.err);
  REQUIRE(experts.status == 0);
  CHECK(has(experts.out, "--expert-tensor-parallel-size 1"));
}

TEST_CASE("kernels that a command asks for are installed", "[export]") {
  const std::string script = exported("torchrun", "lora-on-one-gpu");
  CHECK(has(script, "flash_attention_2") == has(script, "pip install flash-attn --no-build-isolation"));
}

TEST_CASE("the training plan's batch is that of the DeepSpeed file", "[export]") {
  const Json config = Json::parse(exported("deepspeed", "lora-on-one-gpu"));
  CHECK(config["train_batch_size"] ==
        config["train_micro_batch_size_per_gpu"].get<int>() * config["gradient_accumulation_steps"].get<int>());
}

TEST_CASE("adapters go onto the planned modules, each by its name", "[export]") {
  const std::string flags = "--task finetune --method lora --lora-targets attention --gpu l40s:1 --model ";
  const std::string axolotl = export_of("axolotl", flags + "llama-3.1-8b").out;
  CHECK(has(axolotl, "lora_target_modules:\n  - q_proj\n  - k_proj\n  - v_proj\n  - o_proj\n"));
  CHECK(
      has(export_of("torchtune", flags + "llama-3.1-8b").out, "lora_attn_modules=[q_proj,k_proj,v_proj,output_proj]"));
  CHECK(has(export_of("axolotl", "--model mixtral-8x7b --task finetune --method qlora").out, "  - q_proj\n"));
}

TEST_CASE("torchtune trains with the planned optimizer and as many passes", "[export]") {
  const std::string flags = "--task finetune --gpu h100-sxm-80gb:1 --global-batch 64 --model ";
  const std::string full = export_of("torchtune", flags + "llama-3.2-1b --method full").out;
  for (const char* word : {"optimizer=torch.optim.AdamW", "optimizer_in_bwd=False"}) CHECK(has(full, word));
  CHECK_FALSE(has(full, "~optimizer.fused"));
  const std::string paged = " --optimizer paged-adamw8bit";
  const std::string lora = export_of("torchtune", flags + "llama-3.2-1b --method lora" + paged).out;
  for (const char* word : {"optimizer=bitsandbytes.optim.PagedAdamW8bit", "'~optimizer.fused'"}) CHECK(has(lora, word));
  // That configuration has the paged optimizer itself, and so no argument to take out.
  CHECK_FALSE(has(export_of("torchtune", flags + "llama-3.2-1b --method full" + paged).out, "~optimizer"));
}

TEST_CASE("torchtune reads all of the data and offloads nothing that is not planned", "[export]") {
  const std::string large = export_of("torchtune", "--model llama-3.1-70b --method full --nodes 4 --task finetune").out;
  for (const char* word : {"dataset.split=train", "fsdp_cpu_offload=False", "dataset.packed=True"})
    CHECK(has(large, word));
  const std::string own =
      "--model llama-3.1-8b --task finetune --method full --gpu a100-sxm-80gb:8 --variable-lengths true";
  CHECK(has(export_of("torchtune", own).out, "dataset.packed=False"));
}

TEST_CASE("attention over a latent is adapted by the names of its matrices", "[export]") {
  const std::string run = export_of("axolotl", "--model deepseek-v3 --task finetune --method lora").out;
  for (const char* name :
       {"  - q_a_proj\n", "  - q_b_proj\n", "  - kv_a_proj_with_mqa\n", "  - kv_b_proj\n", "  - o_proj\n"})
    CHECK(has(run, name));
  CHECK_FALSE(has(run, "  - k_proj\n"));
}

TEST_CASE("weights that are published in a narrow format are widened before they are trained, or refused", "[export]") {
  const std::string flags = "--task finetune --method lora --gpu h100-sxm-80gb:1 --model ";
  const std::string widened = export_of("axolotl", flags + "gpt-oss-20b").out;
  for (const char* part : {"model_quantization_config: Mxfp4Config\n", "dequantize: true\n",
                           "attn_implementation: kernels-community/vllm-flash-attn3\n"})
    CHECK(has(widened, part));
  const Run run = asked_export("torchrun", flags + "gpt-oss-20b");
  CHECK(run.status == 3);
  CHECK(has(run.err, "gpusel writes no TRL command for training from weights published in mxfp4"));
}

TEST_CASE("a loss that keeps no logits is asked of each tool", "[export]") {
  const std::string flags = "--model qwen3-8b --method full --gpu h100-sxm-80gb:8 --fused-loss true --task finetune";
  CHECK(has(export_of("axolotl", flags).out, "liger_fused_linear_cross_entropy: true\n"));
  CHECK(has(export_of("llama-factory", flags).out, "enable_liger_kernel: true\n"));
  CHECK(has(export_of("torchrun", flags).out, " --use_liger_kernel true "));
}

TEST_CASE("a job of more steps than an int has is exported", "[export]") {
  const std::string flags = "--model llama-3.2-1b --task finetune --method full --gpu h100-sxm-80gb:8 --tokens 1e15";
  CHECK(has(export_of("axolotl", flags).out, "max_steps: "));
}

TEST_CASE("LLaMA-Factory trains without FP32 masters under no ZeRO-3", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task finetune --recipe pure --gpu a100-sxm-80gb:8 --sharding ";
  CHECK(asked_export("llama-factory", flags + "zero3").status == 3);
  CHECK(has(export_of("llama-factory", flags + "zero2").out, "pure_bf16: true\n"));
}

TEST_CASE("on AMD's cards tools come into AMD's image, whatever starts it", "[export]") {
  const std::string flags = "--model qwen3-8b --task finetune --method lora --vendor amd";
  CHECK(has(export_of("dstack", flags).out, "image: rocm/pytorch:"));
  CHECK(has(export_of("skypilot", flags).out, "image_id: docker:rocm/pytorch:"));
  CHECK(has(export_of("slurm", flags).out, " --container-image=rocm/pytorch:"));
  const std::string sglang = "--model qwen3-32b --task inference --rps 2 --gpu mi300x --engine sglang";
  CHECK(has(export_of("docker", sglang).out, "rocm/sgl-dev:"));
}

TEST_CASE("a framework that is no package is fetched before it is used", "[export]") {
  const std::string flags = "--model llama-3.1-8b --gpu h100-sxm-80gb:8 --nodes 2 --task ";
  const std::string factory = export_of("docker", flags + "finetune --framework llama-factory").out;
  for (const char* part : {"/LLaMA-Factory/archive/", "pip install -e ./llama-factory", "cd llama-factory\n"})
    CHECK(has(factory, part));
  const std::string megatron = export_of("docker", flags + "pretrain --tokens 10B --framework megatron").out;
  for (const char* part : {"nvcr.io/nvidia/pytorch:", "/Megatron-LM/archive/", "cd megatron-lm\n"})
    CHECK(has(megatron, part));
}

TEST_CASE("adapters of SDXL are trained by the script that Diffusers ships", "[export]") {
  const std::string flags =
      "--model stabilityai/stable-diffusion-xl-base-1.0 --task finetune --method lora --cloud aws";
  const std::string run = export_of("docker", flags).out;
  for (const char* part : {"'diffusers==0.40.0'",
                           "train_text_to_image_lora_sdxl.py --pretrained_model_name_or_path "
                           "stabilityai/stable-diffusion-xl-base-1.0",
                           "--resolution 1024", "--rank ", "--max_train_steps "})
    CHECK(has(run, part));
  CHECK_FALSE(has(export_of("jobset", flags).out, "registry.invalid"));
}

TEST_CASE("work that a published tool does has its command, on every card of every instance", "[export]") {
  for (const char* job : {"--model sdxl --task inference", "--model flux.1-dev --task finetune --method lora",
                          "--model sdxl --task finetune", "--model whisper-large-v3 --task transcribe",
                          "--model whisper-small --task finetune", "--model bge-m3 --task finetune",
                          "--model bge-reranker-base --task finetune", "--model bert-base --task finetune",
                          "--model resnet-50 --task finetune", "--model yolo11n --task inference",
                          "--model wan2.1-t2v-14b --task inference", "--model flux.1-kontext-dev --task inference",
                          "--task preprocess --preprocess tokenize", "--task transcode --streams 50"}) {
    const std::string script = export_of("slurm", std::string(job) + " --cloud aws").out;
    INFO(job);
    CHECK_FALSE(has(script, "$COMMAND"));
    CHECK_FALSE(has(script, "$TRAIN_SCRIPT"));
  }
  const std::string shared = export_of("slurm", "--model sdxl --task inference --cloud aws --gpu l40s:4 --nodes 3").out;
  for (const char* part : {"#SBATCH --nodes=3", "export RANK=\"$SLURM_PROCID\"", "share=$RANK shares=3",
                           "torchrun --standalone --nproc-per-node 4 /tmp/generate.py "
                           "stabilityai/stable-diffusion-xl-base-1.0 \"$PROMPTS\" \"$OUTPUT\" $share $shares"})
    CHECK(has(shared, part));
}

TEST_CASE("TRL packs no sequences of models that see", "[export]") {
  const std::string flags = "--task finetune --method lora --cloud aws --gpus-max 1 --model ";
  CHECK_FALSE(has(export_of("torchrun", flags + "qwen2-vl-7b").out, "--packing"));
  CHECK(has(exported("torchrun", "lora-on-one-gpu"), " --packing true "));
}

TEST_CASE("training is exported with the settings that the plan assumes", "[export]") {
  const std::string tune = "--model llama-3.1-8b --task finetune --cloud aws --allow-list p5.48xlarge ";
  // What shards by FSDP wraps its layers with the recomputation; the trainer's own would be done besides.
  const std::string fsdp = tune + "--method full --sharding fsdp --activation-checkpointing full";
  const std::string line = export_of("slurm", fsdp).out;
  CHECK(has(line, " --fsdp_activation_checkpointing true "));
  CHECK(has(line, " --gradient_checkpointing false "));
  const std::string accelerate = export_of("accelerate", fsdp).out;
  CHECK(has(accelerate, "fsdp_activation_checkpointing: true\n"));
  CHECK(has(accelerate, "left to your script: method full, optimizer adamw"));
  const std::string ddp = export_of("slurm", tune + "--method lora --sharding ddp --activation-checkpointing full").out;
  CHECK(has(ddp, " --multi_gpu "));
  CHECK(has(ddp, " --gradient_checkpointing true "));
  // A part of the activations is what neither file can say.
  for (const char* target : {"accelerate", "deepspeed", "axolotl", "llama-factory"}) {
    const Run run = asked_export(target, tune + "--method full --framework fsdp --activation-checkpointing selective");
    CAPTURE(target, run.out);
    CHECK(run.status == 3);
    CHECK(has(run.err, "use --activation-checkpointing full or none"));
  }
  // torchrun reads DeepSpeed's file, which the script writes.
  const std::string script = export_of("torchrun", tune + "--method full --sharding zero3").out;
  const auto at = script.find("cat > ds_config.json <<'END'\n");
  REQUIRE(at != std::string::npos);
  const auto from = script.find('{', at);
  const Json config = Json::parse(script.substr(from, script.find("\nEND\n", from) - from));
  CHECK(config["zero_optimization"]["stage"] == 3);
  CHECK(config["gradient_clipping"] == 1.0);
  CHECK(has(script, " --deepspeed ds_config.json "));
}

TEST_CASE("torchtune shards adapters on several cards, which a plan that replicates them is refused for", "[export]") {
  const Run run = asked_export(
      "torchtune", "--model llama-3.1-8b --task finetune --method lora --gpu l40s:2 --sharding ddp --cloud runpod");
  CAPTURE(run.out);
  CHECK(run.status == 3);
  CHECK(has(run.err, "the layout ddp dp2 is not exported to torchtune"));
}

TEST_CASE("Axolotl's weights without FP32 masters are those of the plan, or that is said", "[export]") {
  const std::string flags = "--model llama-3.2-1b --task finetune --method full --gpu h100-sxm-80gb:1 ";
  CHECK(has(export_of("axolotl", flags + "--gpus 1").out, "micro_batch_size: "));
  CHECK(has(export_of("axolotl", flags + "--recipe mixed").out, "keeps no FP32 master weights"));
}

}  // namespace export_training_test

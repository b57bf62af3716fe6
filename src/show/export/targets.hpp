// The makers behind the table of targets, by family. Private to this folder.
#pragma once

#include "show/export/export.hpp"

namespace gpusel::show {

Result<Exported> export_skypilot(const ExportView& view);
Result<Exported> export_dstack(const ExportView& view);
Result<Exported> export_terraform(const ExportView& view);
Result<Exported> export_kubernetes(const ExportView& view);
Result<Exported> export_kserve(const ExportView& view);
Result<Exported> export_karpenter(const ExportView& view);
Result<Exported> export_keda(const ExportView& view);
Result<Exported> export_hpa(const ExportView& view);
Result<Exported> export_slurm(const ExportView& view);
Result<Exported> export_docker(const ExportView& view);
Result<Exported> export_compose(const ExportView& view);
Result<Exported> export_vllm(const ExportView& view);
Result<Exported> export_sglang(const ExportView& view);
Result<Exported> export_trtllm(const ExportView& view);
Result<Exported> export_llama_server(const ExportView& view);
Result<Exported> export_ollama(const ExportView& view);
Result<Exported> export_torchrun(const ExportView& view);
Result<Exported> export_accelerate(const ExportView& view);
Result<Exported> export_deepspeed(const ExportView& view);

Result<Exported> export_tei(const ExportView& view);
Result<Exported> export_runpod(const ExportView& view);
Result<Exported> export_vast(const ExportView& view);
Result<Exported> export_sagemaker(const ExportView& view);
Result<Exported> export_batch(const ExportView& view);
Result<Exported> export_vertex(const ExportView& view);
Result<Exported> export_azureml(const ExportView& view);
Result<Exported> export_llm_d(const ExportView& view);
Result<Exported> export_torchtune(const ExportView& view);

Result<Exported> export_axolotl(const ExportView& view);
Result<Exported> export_llama_factory(const ExportView& view);
Result<Exported> export_lws(const ExportView& view);
Result<Exported> export_helm_vllm(const ExportView& view);
Result<Exported> export_kuberay(const ExportView& view);
Result<Exported> export_jobset(const ExportView& view);

}  // namespace gpusel::show

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
Result<Exported> export_vllm(const ExportView& view);
Result<Exported> export_sglang(const ExportView& view);
Result<Exported> export_torchrun(const ExportView& view);
Result<Exported> export_accelerate(const ExportView& view);
Result<Exported> export_deepspeed(const ExportView& view);

}  // namespace gpusel::show

// What other tools call clouds and accelerators. Private to this folder.
#pragma once

#include <string>
#include <string_view>

#include "catalog/records/gpu.hpp"
#include "catalog/records/market.hpp"

namespace gpusel::show {

/// A cloud by the names that tools have for it; empty where a tool has no such cloud.
struct CloudNames {
  std::string_view provider;    // id in the catalogue
  std::string_view skypilot;    // https://docs.skypilot.co/en/latest/reference/yaml-spec.html, infra
  std::string_view dstack;      // https://dstack.ai/docs/concepts/backends
  bool types_in_dstack = true;  // whether it calls instances what the catalogue calls them
  bool types_in_skypilot = true;
  std::string_view not_in_skypilot{};  // end of the names of instances that it leaves out
  bool own_regions = true;             // whether the catalogue calls regions what the provider calls them
  bool containers = false;             // it starts containers, not machines
};
/// Null where no tool knows the provider.
const CloudNames* cloud_names(std::string_view provider);

/// What its provider calls the type: Google's N1 hosts take cards beside them, "n1-standard-8+1xT4" is a host of that
/// name.
std::string_view host_type(const catalog::Instance& instance);
/// The same without the size of a flexible shape, which OCI takes apart from its name: "VM.Standard.E5.Flex$_8_32".
std::string_view shape_of(const catalog::Instance& instance);
/// Google's name for such a card, "nvidia-tesla-t4" (https://cloud.google.com/compute/docs/gpus); empty without one.
std::string attached_card(const catalog::Instance& instance);

/// SkyPilot's name of the part on the large clouds; empty where it is not known.
std::string_view skypilot_accelerator(std::string_view gpu);
/// And on RunPod, where they go by RunPod's own.
std::string_view skypilot_runpod_accelerator(std::string_view gpu);
/// And on Vast, where names that stand for several memories are left out.
std::string_view skypilot_vast_accelerator(std::string_view gpu);
/// dstack's name of the part; empty where it is not known.
std::string_view dstack_gpu(std::string_view gpu);
/// EFA interfaces of the type; 0 where that is not known here.
int efa_interfaces(std::string_view type);
/// Whether the first of its network cards takes one.
bool efa_on_first_card(std::string_view type);
/// The one disk type that Google's machine boots from; empty where it takes several.
std::string_view google_boot_disk(std::string_view type);

/// The extended resource that the vendor's device plugin gives nodes; empty where there is none here.
std::string_view gpu_resource(const catalog::Gpu& gpu);

}  // namespace gpusel::show

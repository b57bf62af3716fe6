#include "catalog/read/chinese_names.hpp"

#include "base/text/text.hpp"

namespace gpusel::catalog {

namespace {

/// What families of models are called in Chinese, as prefixes of a name: "千问2-7b".
struct FamilyName {
  std::string_view name;
  std::string_view id;
};
constexpr FamilyName kFamilyNames[] = {{"通义千问", "qwen"},
                                       {"千问", "qwen"},
                                       {"通义万相", "wan"},
                                       {"万相", "wan"},
                                       {"深度求索", "deepseek"},
                                       {"智谱", "glm"},
                                       {"月之暗面", "kimi"},
                                       {"百川", "baichuan"},
                                       {"零一万物", "yi"},
                                       {"零一", "yi"},
                                       {"书生浦语", "internlm"},
                                       {"书生", "internlm"},
                                       {"浦语", "internlm"},
                                       {"混元视频", "hunyuanvideo"},
                                       {"混元", "hunyuan"},
                                       {"文心一言", "ernie"},
                                       {"文心", "ernie"},
                                       {"阶跃星辰", "step"},
                                       {"阶跃", "step"},
                                       {"羊驼", "llama"},
                                       {"米斯特拉尔", "mistral"},
                                       {"猎鹰", "falcon"},
                                       {"稳定扩散", "stable-diffusion"},
                                       {"耳语", "whisper"}};

}  // namespace

std::vector<std::string> in_letters(std::string_view name) {
  std::vector<std::string> spelled;
  const std::string_view text = trim(name);
  for (const FamilyName& family : kFamilyNames) {
    if (!text.starts_with(family.name)) continue;
    const std::string_view rest = trim(text.substr(family.name.size()));
    if (rest.starts_with(family.id)) spelled.emplace_back(rest);  // "智谱glm4-9b"
    spelled.push_back(std::string(family.id) + std::string(rest));
    spelled.push_back(std::string(family.id) + "-" + std::string(rest));
  }
  return spelled;
}

}  // namespace gpusel::catalog

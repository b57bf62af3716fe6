#include "catalog/snapshot/tables.hpp"

extern "C" {
extern const unsigned char gpusel_catalog_begin[];
extern const unsigned char gpusel_catalog_end[];
}

namespace gpusel::catalog {

namespace {

class EmbeddedBlock final : public Block {
 public:
  std::span<const unsigned char> bytes() const override { return {gpusel_catalog_begin, gpusel_catalog_end}; }
  bool is_built_in() const override { return true; }
};

}  // namespace

std::shared_ptr<const Block> embedded_block() { return std::make_shared<const EmbeddedBlock>(); }

}  // namespace gpusel::catalog

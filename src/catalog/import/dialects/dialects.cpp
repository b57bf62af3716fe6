#include "catalog/import/dialects/dialects.hpp"

#include "base/io/fields.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog::import {

namespace {

class Reader {
 public:
  Reader(const Catalog& catalog, const Document& document)
      : catalog_(catalog), problems_{document.name, ErrorKind::bad_catalogue, {}} {}

  void read(const Node& section, Dialects& to) {
    Fields fields(section, problems_);
    if (const Node* clouds = map_of(fields, "clouds"))
      for (const Node& entry : clouds->children) to.clouds[fold_name(entry.key)] = entry.text;
    each(fields, "accelerators", [&](Fields& one) { accelerator(one, to); });
    if (const Node* node = fields.find("joined")) joined(*node, to);
    each(fields, "slices", [&](Fields& one) {
      SliceName slice{fold_name(one.text("prefix")), gpu(one), one.number("per_chip", {1, 64}).value_or(1)};
      one.require("prefix");
      to.slices.push_back(std::move(slice));
    });
    each(fields, "products", [&](Fields& one) {
      for (const char* key : {"part", "word", "sizes"}) one.require(key);
      to.products.push_back({one.text("part"), one.text("word"), one.texts("sizes")});
    });
    each(fields, "composed", [&](Fields& one) {
      for (const char* key : {"prefix", "core", "ram", "gpu"}) one.require(key);
      to.composed.push_back({one.text("prefix"), one.text("core"), one.text("ram"), one.texts("gpu")});
    });
    each(fields, "fillers", [&](Fields& one) {
      for (const char* key : {"prefix", "price"}) one.require(key);
      to.fillers.push_back({fold_name(one.text("prefix")), one.number("price").value_or(0)});
    });
    if (const Node* accelerated = map_of(fields, "accelerated"))
      for (const Node& entry : accelerated->children)
        to.accelerated[entry.key] = fields.texts("accelerated." + entry.key);
    append(fields.texts("places"), to.places);
    append(fields.texts("countries"), to.countries);
    append(fields.texts("zoned"), to.zoned);
    append(fields.texts("counted"), to.counted);
    append(fields.texts("other_products"), to.other_products);
    fields.finish();
  }
  Errors& errors() { return problems_.errors; }

 private:
  static void append(std::vector<std::string> texts, std::vector<std::string>& to) {
    for (std::string& text : texts) to.push_back(std::move(text));
  }

  /// A map with keys of its own, all of which are known.
  const Node* map_of(Fields& fields, const std::string& path) {
    const Node* node = fields.find(path);
    if (node == nullptr) return nullptr;
    if (!node->is_map()) problems_.add(*node, say("'{}' must be a map", path));
    for (const Node& entry : node->children) fields.find(path + "." + entry.key);
    return node;
  }

  template <class Action>
  void each(Fields& fields, std::string_view path, Action action) {
    const Node* list = fields.find(path);
    if (list == nullptr) return;
    if (!list->is_list()) problems_.add(*list, say("'{}' must be a list", path));
    for (const Node& node : list->children) {
      Fields one(node, problems_);
      action(one);
      one.finish();
    }
  }

  std::uint32_t gpu_named(const std::string& name, const Node& at) {
    const auto found = catalog_.gpu(name);
    if (found) return static_cast<std::uint32_t>(*found - catalog_.gpus().data());
    problems_.add(at, found.error().message, found.error().hint);
    return 0;
  }

  std::uint32_t gpu(Fields& fields) {
    fields.require("gpu");
    return fields.has("gpu") ? gpu_named(fields.text("gpu"), *fields.find("gpu")) : 0;
  }

  void accelerator(Fields& fields, Dialects& to) {
    for (const char* key : {"names", "gpus"}) fields.require(key);
    const auto from = fields.one_of<ImportFormat>("from");
    std::vector<std::uint32_t> gpus;
    for (const std::string& id : fields.texts("gpus")) gpus.push_back(gpu_named(id, *fields.find("gpus")));
    const std::string format = from ? std::string(to_text(*from)) : std::string();
    for (const std::string& name : fields.texts("names")) to.accelerators[format + "/" + fold_gpu_name(name)] = gpus;
  }

  void joined(const Node& node, Dialects& to) {
    Fields fields(node, problems_);
    to.joined_cloud = fields.text("cloud");
    to.host_families = fields.texts("host_families");
    each(fields, "fixed", [&](Fields& one) {
      one.require("accelerator");
      const std::uint32_t part = gpu(one);
      const Node* hosts = map_of(one, "hosts");
      if (hosts == nullptr) return;
      for (const Node& entry : hosts->children)
        to.joined.push_back(
            {fold_gpu_name(one.text("accelerator")), count_of(entry), one.texts("hosts." + entry.key), part, 0, 0});
    });
    if (const Node* attached = fields.find("attached")) {
      Fields hosts(*attached, problems_);
      to.attached_family = hosts.text("host_family");
      each(hosts, "gpus", [&](Fields& one) { attach(one, to); });
      hosts.finish();
    }
    fields.finish();
  }

  void attach(Fields& fields, Dialects& to) {
    fields.require("accelerator");
    const std::uint32_t part = gpu(fields);
    const Node* limits = map_of(fields, "limits");
    if (limits == nullptr) return;
    for (const Node& entry : limits->children) {
      Fields limit(entry, problems_);
      to.joined.push_back({fold_gpu_name(fields.text("accelerator")),
                           count_of(entry),
                           {},
                           part,
                           limit.number("vcpu", {1, 1e6}).value_or(0),
                           limit.number("memory_gib", {1, 1e7}).value_or(0)});
      for (const char* key : {"vcpu", "memory_gib"}) fields.find("limits." + entry.key + "." + key);
      limit.finish();
    }
  }

  double count_of(const Node& entry) {
    const auto count = plain_number(entry.key);
    if (!count || *count <= 0) problems_.add_at_key(entry, say("'{}' is not a count", shorten(entry.key, 40)));
    return count.value_or(0);
  }

  const Catalog& catalog_;
  Problems problems_;
};

}  // namespace

std::expected<Dialects, Errors> read_dialects(const Catalog& catalog) {
  Dialects dialects;
  Errors errors;
  for (const Document& document : catalog.documents("import")) {
    Reader reader(catalog, document);
    reader.read(*document.root.find("import"), dialects);
    errors.insert(errors.end(), reader.errors().begin(), reader.errors().end());
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return dialects;
}

}  // namespace gpusel::catalog::import

namespace gpusel::catalog {

Errors check_dialects(const Catalog& catalog) {
  auto dialects = import::read_dialects(catalog);
  return dialects ? Errors{} : std::move(dialects.error());
}

}  // namespace gpusel::catalog

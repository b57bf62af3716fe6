// Logs of nvidia-smi (CSV, dmon) and of DCGM (dmon, exporter), taken beside a run.
#include <algorithm>
#include <map>

#include "base/io/csv.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/runs/runs.hpp"

namespace gpusel::catalog {

namespace {

enum class Sensor : std::uint8_t { none, gpu, name, busy_percent, busy_share, memory_mib, power_w };

/// What the tools call it.
Sensor sensor_of(std::string_view column) {
  constexpr std::pair<std::string_view, Sensor> kColumns[] = {
      {"index", Sensor::gpu},
      {"gpu", Sensor::gpu},
      {"entity", Sensor::gpu},
      {"uuid", Sensor::gpu},
      {"gpu_uuid", Sensor::gpu},
      {"pci.bus_id", Sensor::gpu},
      {"gpu_bus_id", Sensor::gpu},
      {"name", Sensor::name},
      {"gpu_name", Sensor::name},
      {"utilization.gpu [%]", Sensor::busy_percent},
      {"utilization.gpu", Sensor::busy_percent},
      {"sm", Sensor::busy_percent},
      {"gputl", Sensor::busy_percent},
      {"dcgm_fi_dev_gpu_util", Sensor::busy_percent},
      {"gract", Sensor::busy_share},
      {"dcgm_fi_prof_gr_engine_active", Sensor::busy_share},
      {"memory.used [mib]", Sensor::memory_mib},
      {"memory.used", Sensor::memory_mib},
      {"fb", Sensor::memory_mib},
      {"fbusd", Sensor::memory_mib},
      {"dcgm_fi_dev_fb_used", Sensor::memory_mib},
      {"power.draw [w]", Sensor::power_w},
      {"power.draw", Sensor::power_w},
      {"pwr", Sensor::power_w},
      {"power", Sensor::power_w},
      {"dcgm_fi_dev_power_usage", Sensor::power_w},
  };
  const std::string folded = lower(trim(column));
  const auto* found = std::ranges::find(kColumns, folded, &std::pair<std::string_view, Sensor>::first);
  return found == std::end(kColumns) ? Sensor::none : found->second;
}

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// "97 %", "612.3 W": its number.
std::optional<double> sample(std::string_view text) {
  text = trim(text);
  return plain_number(text.substr(0, text.find(' ')));
}

struct OneGpu {
  std::vector<double> busy, power;
  double memory_mib = 0;
};

class Samples {
 public:
  void name(std::string_view text) {
    if (name_.empty()) name_ = trim(text);
  }
  /// `gpu`: what tells it from others; empty: nothing does. `text`: "97 %", "612.3 W", "-".
  void add(const std::string& gpu, Sensor sensor, std::string_view text) {
    const auto value = sample(text);
    if (!value) return;
    OneGpu& one = gpus_[gpu];
    if (sensor == Sensor::busy_percent) one.busy.push_back(*value);
    if (sensor == Sensor::busy_share) one.busy.push_back(100 * *value);
    if (sensor == Sensor::power_w) one.power.push_back(*value);
    if (sensor == Sensor::memory_mib) one.memory_mib = std::max(one.memory_mib, *value);
  }

  Result<GpuLog> finish(const std::string& file, const Catalog& catalog) const {
    if (gpus_.empty())
      return usage_error(say("the GPU log has no sample"), format("{}:1:1", file),
                         say("was it stopped before its first one?"));
    GpuLog out;
    out.file = file;
    if (const auto gpu = catalog.gpu(name_); gpu && !name_.empty()) out.gpu = (*gpu)->id;
    std::vector<double> busy;
    std::vector<double> power;
    constexpr double kIdle = 2;  // %
    for (const auto& [index, one] : gpus_) {
      if (!one.busy.empty() && middle(one.busy) < kIdle) continue;
      if (!index.empty()) ++out.gpus;
      out.memory_gib = std::max(out.memory_gib, one.memory_mib / 1024);
      busy.insert(busy.end(), one.busy.begin(), one.busy.end());
      power.insert(power.end(), one.power.begin(), one.power.end());
    }
    out.utilization = middle(std::move(busy));
    out.power_w = middle(std::move(power));
    return out;
  }

 private:
  std::string name_;
  std::map<std::string, OneGpu> gpus_;
};

/// nvidia-smi --query-gpu=… --format=csv
void read_query(const Csv& csv, Samples& samples) {
  for (const Node& row : csv.rows) {
    std::string gpu;
    for (const Node& cell : row.children) {
      const Sensor sensor = sensor_of(cell.key);
      if (sensor == Sensor::gpu) gpu += format("{} ", trim(cell.text));
      if (sensor == Sensor::name) samples.name(cell.text);
    }
    for (const Node& cell : row.children) samples.add(gpu, sensor_of(cell.key), cell.text);
  }
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(line, ' '))
    if (!trim(word).empty()) words.push_back(trim(word));
  return words;
}

/// The sensors of a head that begins with '#'; none where none of them measures.
std::vector<Sensor> dmon_head(std::string_view line) {
  std::vector<Sensor> sensors;
  if (!line.starts_with('#') || line.contains(',')) return sensors;
  for (const std::string_view word : words_of(line.substr(1))) sensors.push_back(sensor_of(word));
  if (std::ranges::none_of(sensors, [](Sensor one) { return one > Sensor::name; })) sensors.clear();
  return sensors;
}

/// nvidia-smi dmon and dcgmi dmon: columns below such a head.
void read_dmon(std::string_view text, Samples& samples) {
  std::vector<Sensor> columns;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with('#')) {
      if (auto sensors = dmon_head(line); !sensors.empty()) columns = std::move(sensors);
      continue;
    }
    auto words = words_of(line);
    if (!words.empty() && words.front() == "GPU") words.erase(words.begin());
    if (words.size() < columns.size()) continue;
    std::string gpu;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i] == Sensor::gpu) gpu = words[i];
    for (std::size_t i = 0; i < columns.size(); ++i) samples.add(gpu, columns[i], words[i]);
  }
}

std::string_view label_of(std::string_view line, std::string_view name) {
  const auto at = line.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + name.size());
  return rest.substr(0, rest.find('"'));
}

/// DCGM_FI_DEV_GPU_UTIL{gpu="0",…,modelName="…"} 97
void read_exporter(std::string_view text, Samples& samples) {
  for (const std::string_view line : split(text, '\n')) {
    const auto brace = line.find('{');
    const auto end = line.rfind('}');
    if (!line.starts_with("DCGM_FI_") || brace == std::string_view::npos || end == std::string_view::npos) continue;
    samples.name(label_of(line, "modelName=\""));
    std::string gpu;  // its number is that of one host
    for (const std::string_view label : {"gpu=\"", "UUID=\"", "Hostname=\""}) gpu += label_of(line, label);
    samples.add(gpu, sensor_of(line.substr(0, brace)), line.substr(end + 1));
  }
}

/// What --format=csv,noheader leaves: cells with units, or a GPU's name next to numbers.
bool lacks_header(std::string_view line) {
  const auto cells = split(line, ',');
  const auto has_unit = [](std::string_view cell) {
    return sample(cell) && (cell.ends_with(" %") || cell.ends_with(" MiB") || cell.ends_with(" W"));
  };
  const bool measures = std::ranges::any_of(cells, [](std::string_view cell) { return sample(cell).has_value(); });
  return cells.size() > 1 && measures && std::ranges::any_of(cells, [&](std::string_view cell) {
           return has_unit(cell) || cell.starts_with("NVIDIA ");
         });
}

}  // namespace

std::optional<Result<GpuLog>> read_gpu_log(std::string_view text, const std::string& file, const Catalog& catalog) {
  Samples samples;
  const std::string_view begin = trim(text.substr(0, text.find('\n')));
  const bool query = begin.contains("utilization.gpu") || begin.contains("memory.used") || begin.contains("power.draw");
  const auto head = dmon_head(begin);
  if (query) {
    auto csv = parse_csv(text, file);
    if (!csv) return std::unexpected(csv.error());
    read_query(*csv, samples);
  } else if (text.starts_with("DCGM_FI_") || text.contains("\nDCGM_FI_")) {
    read_exporter(text, samples);
  } else if (std::ranges::find(head, Sensor::gpu) != head.end()) {
    read_dmon(text, samples);
  } else if (lacks_header(begin)) {
    return usage_error(say("the columns of this GPU log have no names"), format("{}:1:1", file),
                       say("log it with --format=csv, without noheader"));
  } else {
    return std::nullopt;
  }
  return samples.finish(file, catalog);
}

std::string gpu_log_text(const GpuLog& log) {
  std::string text = log.gpus > 0 ? say("{}: GPUs: {}", printable(log.file), log.gpus)
                                  : say("{}: GPUs not numbered", printable(log.file));
  if (log.utilization > 0) text += say(", {:.0f} % busy in the median", log.utilization);
  if (log.memory_gib > 0) text += say(", at most {:.1f} GiB used", log.memory_gib);
  if (log.power_w > 0) text += say(", {:.0f} W each", log.power_w);
  constexpr double kWaits = 70;  // %
  if (log.utilization > 0 && log.utilization < kWaits)
    text += say("; they wait for the host or its data, which an estimate does not see");
  return text;
}

}  // namespace gpusel::catalog

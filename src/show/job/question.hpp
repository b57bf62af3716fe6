// A question in the words of whoever asked it, for the first line of an answer, and the names in it.
#pragma once

#include <span>
#include <string>

#include "answer/search/recommend.hpp"
#include "physics/machine.hpp"
#include "physics/planner/targets.hpp"
#include "show/document/document.hpp"

namespace gpusel::show {

/// "LoRA fine-tune llama-2-13b: 307M tokens, 2048 per sequence".
std::string spoken_question(const job::Job& work);
/// ", done in 6 h, for at most $20": as far as they are given.
std::string end_words(const job::Job& work, const job::Constraints& limits, Currency currency);
/// "≥80 GB host memory", "2 nodes", "on aws p5.48xlarge"; empty where a limit has no words but its flag.
std::string limit_in_words(std::string_view key, const job::Constraints& limits, Currency currency);
/// "p95 TTFT ≤300 ms, ITL ≤50 ms"; empty: none is asked for.
std::string target_words(const job::Job& work);
/// "TTFT".
std::string latency_name(const physics::LatencyTarget& latency);
/// "H100 SXM5 80 GB", "RTX PRO 6000 96 GB": as people say it, with its memory and without its maker or edition.
std::string spoken_gpu(const catalog::Gpu& gpu);
/// "8 × H100 SXM 80 GB", "1/7 A100 SXM4 40 GB".
std::string spoken_gpus(const physics::Machine& machine);
/// "8 × H100 SXM 80 GB, 2 nodes", "16 vCPU".
std::string spoken_machine(const physics::Machine& machine);
/// Of a month or a year, whole from ten on: "1,360", "733", "7.20".
std::string spoken_sum(double amount);
/// "$1.86", "13.20 SEK".
std::string spoken_money(double amount, Currency currency);
/// "307M"; by 10,000s where people count so: "3.07 亿".
std::string spoken_count(double count);
/// The same of an amount that is written already.
std::string with_currency(const std::string& amount, Currency currency);
/// "64 % less", "3 % more", "the same".
std::string difference_words(double ratio);

/// "Keeps up with the load: 82 %.": the chance of the targets of latency, of a load, or of a day.
std::string in_time_words(const job::Job& work, double chance);
/// "Warning: … [rule]" for each warning, at most so many of them and how many more there are.
void add_warnings(Document& page, std::span<const answer::Remark> remarks, std::size_t most, std::size_t indent = 0);

}  // namespace gpusel::show

// What exports share: the comment on top, names that tools accept, the job as a script. Private to this folder.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "show/export/export.hpp"

namespace gpusel::show {

/// "p5.48xlarge" of the machine, its layout in words: "fp8 tp2, 4 replicas".
std::string layout_of(const ExportView& view, const answer::Recommendation& r);

/// What this file is, of which plan, what was assumed, how it is made again, and what is left to the reader; each line
/// after `mark`. No text gets out of its line.
std::string heading(const ExportView& view, const std::vector<std::string>& notes, std::string_view mark = "# ");
/// The same without marks, for formats whose comments are data.
std::vector<std::string> heading_lines(const ExportView& view, const std::vector<std::string>& notes);

/// What the reader must know of the plan itself: warnings and notes of its rank, the network that its speed takes for
/// granted, what spot means for its results. They stand in every heading, before the notes of the target.
std::vector<std::string> plan_notes(const ExportView& view);

/// The same question at another of its ranks.
ExportView of_rank(const ExportView& view, const answer::Recommendation& other);

/// Heading and documents, one behind the other.
std::string yaml_file(const ExportView& view, const std::vector<std::string>& notes,
                      const std::vector<Json>& documents);

/// The job's name as host names are written (RFC 1123): "gpusel-llama-3-1-8b".
std::string job_name(const ExportView& view);

/// How the chosen plan is started; nothing is in it where no standard command is known.
answer::Launch launch_of(const ExportView& view);
/// Why there is none.
std::string why_no_command(const ExportView& view);
/// The same for targets that order machines for the reader's own work.
std::string machines_alone(const ExportView& view);
/// Its lines as one script.
std::string script_of(const answer::Launch& launch);
/// Notes on it: what must be there, and which variables are the reader's.
std::vector<std::string> launch_notes(const answer::Launch& launch);
/// Whether a server is started with a repository alone, as charts take it: no file in it, none of the reader's own, and
/// nothing that is made of it first.
bool serves_repository(const answer::Launch& launch);
/// Whether lines have that word.
bool reads(const answer::Launch& launch, std::string_view word);
/// Whether lines read $RANK or $MASTER.
bool reads_rank(const answer::Launch& launch);
/// Whether instances exchange data while they work, rather than each working alone.
bool works_together(const ExportView& view, const answer::Launch& launch);
/// EFA interfaces that instances which work together have; 0 without.
int fabric_interfaces(const ExportView& view, const answer::Launch& launch);
/// Variables that must be given a value; all but the secret ones.
std::vector<std::pair<std::string, std::string>> open_variables(const answer::Launch& launch);

/// The variable that holds a secret.
inline constexpr std::string_view kTokenVariable = "HF_TOKEN";
/// The variable that names where results go, whether the lines read it, and that folder in containers.
inline constexpr std::string_view kOutputVariable = "OUTPUT";
bool has_output(const answer::Launch& launch);
/// For notes of targets that keep results themselves.
answer::Launch without_output(answer::Launch launch);
inline constexpr std::string_view kResultFolder = "/output";

/// What the chosen plan and others of the ranking have in common with it: the same number of instances, cards of the
/// same vendor, and the same commands. The chosen one first.
std::vector<const answer::Recommendation*> interchangeable(const ExportView& view);

/// Of its cards, in small letters; empty without any.
std::string vendor_of(const answer::Recommendation& r);
bool is_spot(const answer::Recommendation& r);
/// Rented by the hour, and not committed to.
bool is_by_the_hour(const answer::Recommendation& r);
/// Whether its region is one that an API knows: not "every region, one price", nor a whole country.
bool has_region(const answer::Recommendation& r);
/// Devices that software sees on one instance; 0 without any.
int devices_of(const answer::Recommendation& r);
/// The term as something that only the provider's own pages can order; empty where the target's price is by the hour.
std::vector<std::string> term_notes(const answer::Recommendation& r);

/// Seconds that a server may take until it answers, before it counts as ill: twice its start, or as long as the first
/// download of its weights takes; at least `least`.
int start_seconds(const ExportView& view, int least);

/// Disk in whole gigabytes, and how it was come to.
int disk_gb(const ExportView& view);
std::string disk_note(const ExportView& view);

/// That its provider has a name for it: what a price list sells by the card is called "8x-CARD" in the catalogue alone.
/// Error: it has none.
Status check_type(const answer::Recommendation& r);

/// A refusal; export_plan() names the targets that can.
std::unexpected<Error> cannot(std::string message);

}  // namespace gpusel::show

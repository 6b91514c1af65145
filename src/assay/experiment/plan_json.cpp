// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/base/ceilings_json.hpp"
#include "assay/base/error.hpp"
#include "assay/experiment/detail/check_protocol.hpp"
#include "assay/experiment/detail/fail.hpp"
#include "assay/experiment/detail/json_lists.hpp"
#include "assay/experiment/detail/plan_parts.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::experiment {
namespace {

using detail::fail;

Json subject_id_json(const SubjectId& subject) {
  return {{"build", subject.build}, {"name", subject.name}};
}

SubjectId subject_id_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  SubjectId subject{reader.take<std::string>("build"), reader.take<std::string>("name")};
  reader.finish();
  return subject;
}

Json cell_json(const Cell& cell) {
  return {{"id", cell.id()},
          {"problem", cell.problem},
          {"case", to_json(cell.the_case)},
          {"state", cell.state},
          {"boundary", cell.boundary},
          {"timer", cell.timer},
          {"subjects", list_of(cell.subjects, subject_id_json)},
          {"unsupported", cell.unsupported},
          {"work", detail::work_reading_json(cell.work)},
          {"subject_work", list_of(cell.subject_work,
                                   [](const std::optional<WorkDescription>& work) {
                                     return work ? to_json(*work) : Json();
                                   })},
          {"footprint_bytes", cell.footprint_bytes},
          {"checked", cell.checked}};
}

Cell planned_cell_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Cell cell;
  const auto id = reader.take<std::string>("id");
  cell.problem = reader.take<std::string>("problem");
  cell.the_case = case_from_json(reader.member("case"), where + ".case");
  cell.state = reader.take<std::string>("state");
  cell.boundary = reader.take<std::string>("boundary");
  cell.timer = reader.take<std::string>("timer");
  if (!can_stand_in_id(cell.problem) || !can_stand_in_id(cell.state) ||
      !can_stand_in_id(cell.boundary) || !can_stand_in_id(cell.timer)) {
    fail(where, "the problem, the state, the boundary and the timer must be names");
  }
  if (id != cell.id()) fail(where + ".id", "'" + id + "' is not the id of this cell");
  cell.subjects = take_list<SubjectId>(reader, "subjects", subject_id_from);
  if (cell.subjects.empty()) fail(where + ".subjects", "a cell needs a baseline");
  cell.unsupported = take_texts(reader, "unsupported");
  cell.work = detail::work_reading_from(reader.member("work"), where + ".work");
  cell.subject_work = take_list<std::optional<WorkDescription>>(
      reader, "subject_work",
      [](const Json& item, const std::string& place) -> std::optional<WorkDescription> {
        if (item.is_null()) return std::nullopt;
        return work_from_json(item, place);
      });
  if (cell.subject_work.size() != cell.subjects.size()) {
    fail(where + ".subject_work", "expected one entry beside each subject");
  }
  cell.footprint_bytes = reader.take<std::int64_t>("footprint_bytes");
  cell.checked = reader.take<bool>("checked");
  reader.finish();
  return cell;
}

Json comparison_json(const Comparison& comparison) {
  return {{"cell", comparison.cell},
          {"candidate", comparison.candidate},
          {"prediction", comparison.prediction ? Json(*comparison.prediction) : Json()}};
}

Comparison comparison_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Comparison comparison;
  comparison.cell = reader.take<std::size_t>("cell");
  comparison.candidate = reader.take<std::size_t>("candidate");
  if (!reader.member("prediction").is_null()) {
    comparison.prediction = reader.take<std::size_t>("prediction");
  }
  reader.finish();
  return comparison;
}

Json left_out_json(const LeftOut& left_out) {
  return {{"what", left_out.what}, {"reason", left_out.reason}};
}

LeftOut left_out_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  LeftOut left_out{reader.take<std::string>("what"), reader.take<std::string>("reason")};
  reader.finish();
  return left_out;
}

Json build_json(const Build& build) {
  return {{"name", build.name},
          {"command", build.command},
          {"directory", build.directory.string()},
          {"program_as_written", build.program_as_written},
          {"program", build.program.string()}};
}

Build planned_build_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Build build;
  build.name = reader.take<std::string>("name");
  build.command = reader.take<std::string>("command");
  build.directory = reader.take<std::string>("directory");
  build.program_as_written = reader.take<std::string>("program_as_written");
  build.program = reader.take<std::string>("program");
  reader.finish();
  return build;
}

Json command_json(const Command& command) {
  return {{"name", command.name},
          {"words", command.words},
          {"output", command.output},
          {"threads", command.threads},
          {"program", command.program.string()}};
}

Command command_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Command command;
  command.name = reader.take<std::string>("name");
  command.words = take_texts(reader, "words");
  if (command.words.empty()) fail(where + ".words", "a command needs a program");
  command.output = reader.take<std::string>("output");
  command.threads = reader.take<int>("threads");
  if (command.threads != 1 && command.threads != -1) fail(where + ".threads", "expected 1 or -1");
  command.program = reader.take<std::string>("program");
  reader.finish();
  return command;
}

Json publication_json(const Publication& publication) {
  return {{"author", publication.author},
          {"affiliation", publication.affiliation},
          {"licence", publication.licence}};
}

Publication publication_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Publication publication;
  publication.author = reader.take<std::string>("author");
  publication.affiliation = reader.take<std::string>("affiliation");
  publication.licence = reader.take<std::string>("licence");
  reader.finish();
  return publication;
}

Json source_json(const NoiseFloorSource& source) {
  return {{"measured_utc", source.measured_utc},
          {"age_days", source.age_days},
          {"trials", source.trials},
          {"cell", source.cell},
          {"assay_version", source.assay_version},
          {"record", source.record},
          {"record_digest", source.record_digest}};
}

NoiseFloorSource source_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  NoiseFloorSource source;
  source.measured_utc = reader.take<std::string>("measured_utc");
  source.age_days = reader.take<std::int64_t>("age_days");
  source.trials = reader.take<std::int64_t>("trials");
  source.cell = reader.take<std::string>("cell");
  source.assay_version = reader.take<std::string>("assay_version");
  source.record = reader.take<std::string>("record");
  source.record_digest = reader.take<std::string>("record_digest");
  reader.finish();
  return source;
}

void write_ceilings(Json& json, const Plan& plan) {
  json["ceilings"] = plan.ceilings ? Json{{"value", to_json(*plan.ceilings)}}
                                   : json_of(Reading<double>(plan.ceilings.missing()));
  Json source;
  if (plan.ceilings_source) {
    source = {{"measured_utc", plan.ceilings_source->measured_utc},
              {"age_days", plan.ceilings_source->age_days},
              {"assay_version", plan.ceilings_source->assay_version}};
  }
  json["ceilings_source"] = std::move(source);
}

void take_ceilings(ObjectReader& of, Plan& plan) {
  ObjectReader reader(of.member("ceilings"), of.where() + ".ceilings");
  if (reader.has("value")) {
    plan.ceilings = ceilings_from_json(reader.member("value"), reader.where() + ".value");
  } else {
    const auto reason = reader.take<std::string>("missing");
    plan.ceilings = Missing{reason, reader.take<std::string>("detail")};
  }
  reader.finish();
  const Json& json = of.member("ceilings_source");
  if (json.is_null()) return;
  ObjectReader source(json, of.where() + ".ceilings_source");
  plan.ceilings_source = CeilingsSource{source.take<std::string>("measured_utc"),
                                        source.take<std::int64_t>("age_days"),
                                        source.take<std::string>("assay_version")};
  source.finish();
}

void take_format(ObjectReader& reader) {
  const auto format = reader.take<std::string>("format");
  if (format != plan_format) {
    fail(reader.where(), "format '" + format + "' is not known to this version; expected '" +
                             std::string(plan_format) + "'");
  }
  const auto method = reader.take<std::string>("method");
  if (method != method_version) {
    fail(reader.where(), "method '" + method + "' is not known to this version; expected '" +
                             std::string(method_version) +
                             "'. Read the record with the Assay that wrote it (assay_version in "
                             "the same file)");
  }
}

// Indices must lead somewhere, whoever wrote the file.
void check_comparisons(const Plan& plan, const std::string& where) {
  for (const Comparison& comparison : plan.comparisons) {
    if (comparison.cell >= plan.cells.size()) fail(where + ".comparisons", "no such cell");
    const std::size_t subjects = plan.cells[comparison.cell].subjects.size();
    if (comparison.candidate == 0 || comparison.candidate >= subjects) {
      fail(where + ".comparisons", "no such candidate");
    }
    if (comparison.prediction && *comparison.prediction >= plan.predictions.size()) {
      fail(where + ".comparisons", "no such prediction");
    }
  }
}

void check_builds(const Plan& plan, const std::string& where) {
  // A program that could not be asked leaves a plan of words alone.
  const bool is_words_alone = plan.descriptions.empty() && plan.cells.empty();
  if (plan.builds.empty() || plan.builds.size() > 2 ||
      (plan.descriptions.size() != plan.builds.size() && !is_words_alone)) {
    fail(where, "expected one or two builds, each with its description");
  }
  for (const Cell& cell : plan.cells) {
    for (const SubjectId& subject : cell.subjects) {
      const bool is_known =
          subject.build == plan.builds.front().name || subject.build == plan.builds.back().name;
      if (!is_known) fail(where + ".cells", "the subject " + subject.text() + " is of no build");
    }
  }
  if (plan.is_of_commands() && (plan.builds.size() > 1 || plan.layout_replicates > 1)) {
    fail(where, "commands have neither two builds nor layouts");
  }
  for (const Cell& cell : plan.cells) {
    for (const SubjectId& subject : cell.subjects) {
      const auto is_it = [&](const Command& command) { return command.name == subject.name; };
      if (plan.is_of_commands() &&
          std::none_of(plan.commands.begin(), plan.commands.end(), is_it)) {
        fail(where + ".cells", "the subject " + subject.text() + " is no command");
      }
    }
  }
  const std::string trouble =
      detail::trouble_with_replicates(plan.layout_replicates, plan.protocol.looks);
  if (!trouble.empty()) fail(where + ".layout_replicates", trouble);
}

}  // namespace

Json to_json(const Plan& plan) {
  Json json = {
      {"format", plan_format},
      {"method", method_version},
      {"name", plan.name},
      {"created_utc", plan.created_utc},
      {"assay_version", plan.assay_version},
      {"quick", plan.quick},
      {"question", detail::question_json(plan.question)},
      {"predictions", list_of(plan.predictions, detail::prediction_json)},
      {"protocol", detail::protocol_json(plan.protocol)},
      {"layout_replicates", plan.layout_replicates},
      {"noise_floor", json_of(plan.noise_floor)},
      {"noise_floor_source",
       plan.noise_floor_source ? source_json(*plan.noise_floor_source) : Json()},
      {"device", plan.device},
      {"builds", list_of(plan.builds, build_json)},
      {"program_digests", plan.program_digests},
      {"descriptions",
       list_of(plan.descriptions, [](const ProgramDescription& one) { return to_json(one); })},
      {"cells", list_of(plan.cells, cell_json)},
      {"comparisons", list_of(plan.comparisons, comparison_json)},
      {"left_out", list_of(plan.left_out, left_out_json)},
      {"defaults_used", plan.defaults_used},
      {"experiment_digest", plan.experiment_digest},
      {"publication", plan.publication ? publication_json(*plan.publication) : Json()}};
  // Only where there are any: the plans of programs stay as they were.
  if (plan.speaks_of_ceilings()) write_ceilings(json, plan);
  if (plan.is_of_commands()) json["commands"] = list_of(plan.commands, command_json);
  return json;
}

Plan plan_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  take_format(reader);
  Plan plan;
  plan.name = reader.take<std::string>("name");
  plan.created_utc = reader.take<std::string>("created_utc");
  plan.assay_version = reader.take<std::string>("assay_version");
  plan.quick = reader.take<bool>("quick");
  plan.question = detail::question_from(reader.member("question"), where + ".question");
  plan.predictions = take_list<Prediction>(reader, "predictions", detail::prediction_from);
  plan.protocol = detail::protocol_from(reader.member("protocol"), where + ".protocol");
  plan.layout_replicates = reader.take<std::int64_t>("layout_replicates");
  plan.noise_floor = reader.take_reading<double>("noise_floor");
  const Json& source = reader.member("noise_floor_source");
  if (!source.is_null()) {
    plan.noise_floor_source = source_from(source, where + ".noise_floor_source");
  }
  if (reader.has("ceilings")) take_ceilings(reader, plan);
  plan.device = reader.take<std::string>("device");
  plan.builds = take_list<Build>(reader, "builds", planned_build_from);
  if (reader.has("commands")) {
    plan.commands = take_list<Command>(reader, "commands", command_from);
  }
  plan.program_digests = take_texts(reader, "program_digests");
  plan.descriptions = take_list<ProgramDescription>(reader, "descriptions", description_from_json);
  plan.cells = take_list<Cell>(reader, "cells", planned_cell_from);
  plan.comparisons = take_list<Comparison>(reader, "comparisons", comparison_from);
  plan.left_out = take_list<LeftOut>(reader, "left_out", left_out_from);
  plan.defaults_used = take_texts(reader, "defaults_used");
  plan.experiment_digest = reader.take<std::string>("experiment_digest");
  const Json& publication = reader.member("publication");
  if (!publication.is_null()) {
    plan.publication = publication_from(publication, where + ".publication");
  }
  reader.finish();
  check_comparisons(plan, where);
  check_builds(plan, where);
  return plan;
}

}  // namespace assay::experiment

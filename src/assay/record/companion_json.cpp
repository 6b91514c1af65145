// SPDX-License-Identifier: MIT
#include "assay/base/json_list.hpp"
#include "assay/record/checks.hpp"
#include "assay/record/companion.hpp"

namespace assay::record {
namespace {

Json to_json(const Missing& missing) {
  return {{"reason", missing.reason}, {"detail", missing.detail}};
}

Missing missing_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Missing missing{reader.take<std::string>("reason"), reader.take<std::string>("detail")};
  reader.finish();
  return missing;
}

Json to_json(const ProfiledProgram& program) {
  return {{"build", program.build},
          {"layout", program.layout},
          {"path", program.path},
          {"sha256", program.sha256},
          {"timed_sha256", program.timed_sha256}};
}

ProfiledProgram program_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  ProfiledProgram program;
  program.build = reader.take<std::string>("build");
  program.layout = reader.take<std::int64_t>("layout");
  program.path = reader.take<std::string>("path");
  program.sha256 = reader.take<std::string>("sha256");
  program.timed_sha256 = reader.take<std::string>("timed_sha256");
  reader.finish();
  return program;
}

Json to_json(const Metric& metric) {
  return {{"name", metric.name},
          {"unit", metric.unit},
          {"meaning", metric.meaning},
          {"is_additive", metric.is_additive}};
}

Metric metric_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Metric metric;
  metric.name = reader.take<std::string>("name");
  metric.unit = reader.take<std::string>("unit");
  metric.meaning = reader.take<std::string>("meaning");
  metric.is_additive = reader.take<bool>("is_additive");
  reader.finish();
  return metric;
}

Json end_to_json(const Reading<ProcessEnd>& end) {
  return json_of(end.transform([](const ProcessEnd& known) {
    return Json{{"by_signal", known.by_signal}, {"code", known.code}};
  }));
}

Reading<ProcessEnd> end_from(ObjectReader& run) {
  const Reading<Json> json = run.take_reading<Json>("end");
  if (!json) return json.missing();
  ObjectReader reader(*json, run.where() + ".end");
  ProcessEnd end;
  end.by_signal = reader.take<bool>("by_signal");
  end.code = reader.take<std::int64_t>("code");
  reader.finish();
  return end;
}

Json to_json(const CounterRun& run) {
  return {{"number", run.number},
          {"problem", run.problem},
          {"case", run.case_id},
          {"state", run.state},
          {"own_state", run.own_state},
          {"build", run.build},
          {"subject", run.subject},
          {"is_baseline", run.is_baseline},
          {"calls", run.calls},
          {"command", run.command},
          {"afterwards", run.afterwards},
          {"started_utc", run.started_utc},
          {"wall_s", run.wall_s},
          {"end", end_to_json(run.end)},
          {"raw", run.raw},
          {"missing", list_of(run.missing, [](const Missing& each) { return to_json(each); })}};
}

CounterRun run_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CounterRun run;
  run.number = reader.take<std::int64_t>("number");
  run.problem = reader.take<std::string>("problem");
  run.case_id = reader.take<std::string>("case");
  run.state = reader.take<std::string>("state");
  run.own_state = reader.take<std::string>("own_state");
  run.build = reader.take<std::string>("build");
  run.subject = reader.take<std::string>("subject");
  run.is_baseline = reader.take<bool>("is_baseline");
  run.calls = reader.take<std::int64_t>("calls");
  if (run.calls < 1) {
    throw Error(ErrorKind::bad_input, where + ": 'calls' must be at least 1");
  }
  run.command = take_texts(reader, "command");
  run.afterwards = take_texts(reader, "afterwards");
  run.started_utc = reader.take<std::string>("started_utc");
  run.wall_s = reader.take<double>("wall_s");
  run.end = end_from(reader);
  run.raw = take_texts(reader, "raw");
  run.missing = take_list<Missing>(reader, "missing", missing_from);
  reader.finish();
  return run;
}

}  // namespace

Json to_json(const Companion& companion) {
  return {{"format", companion_format},
          {"kind", "profile"},
          {"created_utc", companion.created_utc},
          {"assay_version", companion.assay_version},
          {"command_line", companion.command_line},
          {"of",
           {{"name", companion.of.name},
            {"digest", companion.of.digest},
            {"plan_sha256", companion.of.plan_sha256}}},
          {"tool",
           {{"name", companion.tool.name},
            {"version", companion.tool.version},
            {"path", companion.tool.path}}},
          {"device", companion.device},
          {"programs", list_of(companion.programs, [](const auto& each) { return to_json(each); })},
          {"metrics", list_of(companion.metrics, [](const auto& each) { return to_json(each); })},
          {"notes", companion.notes},
          {"runs", list_of(companion.runs, [](const auto& each) { return to_json(each); })}};
}

Companion companion_from_json(const Json& json, const std::string& where) {
  expect_format(json, companion_format, where);
  ObjectReader reader(json, where);
  reader.member("format");
  Companion companion;
  if (const auto kind = reader.take<std::string>("kind"); kind != "profile") {
    throw Error(
        ErrorKind::bad_input,
        where + ": this version knows companions of the kind 'profile', not '" + kind + "'");
  }
  companion.created_utc = reader.take<std::string>("created_utc");
  companion.assay_version = reader.take<std::string>("assay_version");
  companion.command_line = reader.take<std::string>("command_line");
  ObjectReader of(reader.member("of"), where + ": of");
  companion.of.name = of.take<std::string>("name");
  companion.of.digest = of.take<std::string>("digest");
  companion.of.plan_sha256 = of.take<std::string>("plan_sha256");
  of.finish();
  ObjectReader tool(reader.member("tool"), where + ": tool");
  companion.tool.name = tool.take<std::string>("name");
  companion.tool.version = tool.take<std::string>("version");
  companion.tool.path = tool.take<std::string>("path");
  tool.finish();
  companion.device = reader.take<std::string>("device");
  companion.programs = take_list<ProfiledProgram>(reader, "programs", program_from);
  companion.metrics = take_list<Metric>(reader, "metrics", metric_from);
  companion.notes = take_texts(reader, "notes");
  companion.runs = take_list<CounterRun>(reader, "runs", run_from);
  reader.finish();
  return companion;
}

}  // namespace assay::record

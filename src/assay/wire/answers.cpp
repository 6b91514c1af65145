// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/base/ceilings_json.hpp"
#include "assay/base/json_list.hpp"
#include "assay/wire/envelope.hpp"
#include "assay/wire/generated.hpp"
#include "assay/wire/messages.hpp"
#include "assay/wire/startup_json.hpp"
#include "assay/wire/telemetry_json.hpp"

namespace assay::wire {
namespace {

Json failures_json(const std::vector<experiment::Failure>& failures) {
  Json list = Json::array();
  for (const auto& failure : failures) list.push_back(experiment::to_json(failure));
  return list;
}

Json json_of_message(const Envelope& envelope, const experiment::ProgramDescription& answer) {
  Json json = sealed(envelope, "answer", "describe");
  json["description"] = experiment::to_json(answer);
  return json;
}

Json json_of_message(const Envelope& envelope, const Prepared& answer) {
  Json json = sealed(envelope, "answer", "prepare");
  Json inputs = Json::array();
  for (const InputDigest& input : answer.inputs) {
    inputs.push_back(Json{{"name", input.name},
                          {"dtype", input.dtype},
                          {"shape", input.shape},
                          {"sha256", input.sha256}});
  }
  json["inputs"] = std::move(inputs);
  json["footprint_bytes"] = answer.footprint_bytes;
  if (answer.max_iterations) json["max_iterations"] = *answer.max_iterations;
  if (answer.rotation) json["rotation"] = assay::to_json(*answer.rotation);
  Json preparations = Json::array();
  for (const auto& preparation : answer.preparations) {
    preparations.push_back(Json{{"subject", preparation.subject},
                                {"interval_ns", preparation.interval_ns},
                                {"reuse_count", preparation.reuse_count}});
  }
  json["preparations"] = std::move(preparations);
  if (!answer.generated.empty()) {
    Json generated = Json::array();
    for (const Generated& each : answer.generated) generated.push_back(to_json(each));
    json["generated"] = std::move(generated);
  }
  json["failures"] = failures_json(answer.failures);
  return json;
}

Json json_of_message(const Envelope& envelope, const Checked& answer) {
  Json json = sealed(envelope, "answer", "check");
  Json results = Json::array();
  for (const auto& result : answer.results) results.push_back(experiment::to_json(result));
  json["results"] = std::move(results);
  json["reference_ns"] = answer.reference_ns;
  return json;
}

Json kernels_json(const std::vector<KernelRuns>& kernels) {
  Json list = Json::array();
  for (const KernelRuns& runs : kernels) {
    list.push_back(Json{{"kernel", runs.kernel},
                        {"grid", runs.grid},
                        {"threads", runs.threads},
                        {"begins_ns", runs.begins_ns},
                        {"durations_ns", runs.durations_ns}});
  }
  return list;
}

Json samples_json(const std::vector<SampleTaken>& samples) {
  Json list = Json::array();
  for (const SampleTaken& sample : samples) {
    Json json{{"subject", sample.subject},
              {"interval_ns", sample.interval_ns},
              {"start_ns", sample.start_ns},
              {"flags", sample.flags}};
    if (!sample.kernels.empty()) json["kernels"] = kernels_json(sample.kernels);
    list.push_back(std::move(json));
  }
  return list;
}

Json json_of_message(const Envelope& envelope, const CanaryDone& answer) {
  Json json = sealed(envelope, "answer", "canary");
  json["samples"] = samples_json(answer.samples);
  return json;
}

Json json_of_message(const Envelope& envelope, const BlockDone& answer) {
  Json json = sealed(envelope, "answer", "block");
  json["samples"] = samples_json(answer.samples);
  json["failures"] = failures_json(answer.failures);
  if (answer.device) {
    json["device"] = Json{{"before", telemetry_json(answer.device->before)},
                          {"after", telemetry_json(answer.device->after)}};
  }
  if (answer.memory) json["memory"] = to_json(*answer.memory);
  if (answer.startup) json["startup"] = startup_json(*answer.startup);
  return json;
}

Json json_of_message(const Envelope& envelope, const CeilingsDone& answer) {
  Json json = sealed(envelope, "answer", "ceilings");
  json["ceilings"] = to_json(answer.ceilings);
  return json;
}

Json json_of_message(const Envelope& envelope, const Idled&) {
  return sealed(envelope, "answer", "idle");
}

Json json_of_message(const Envelope& envelope, const Ended&) {
  return sealed(envelope, "answer", "end");
}

Json json_of_message(const Envelope& envelope, const Refused& answer) {
  Json json = sealed(envelope, "error", answer.kind);
  json["message"] = answer.message;
  json["subject"] = answer.subject;
  return json;
}

// f(element's reader) for each object of a list.
template <typename F>
void for_each_object(ObjectReader& reader, std::string_view key, F&& f) {
  const auto where = reader.where() + "." + std::string(key);
  const Json& list = reader.member(key);
  if (!list.is_array()) throw Error(ErrorKind::bad_input, where + " must be a list");
  for (std::size_t i = 0; i < list.size(); ++i) {
    ObjectReader element(list[i], where + "[" + std::to_string(i) + "]");
    f(element);
    element.finish();
  }
}

// The texts of an answer that are looked up, or become fields of the record's tables. A worker that
// sends what cannot stand there breaks the protocol; sentences may hold anything.
std::string take_plain(ObjectReader& reader, const char* key) {
  return expect_plain(reader.take<std::string>(key), key);
}

std::vector<experiment::Failure> take_failures(ObjectReader& reader) {
  std::vector<experiment::Failure> failures;
  const Json& list = reader.member("failures");
  if (!list.is_array()) {
    throw Error(ErrorKind::bad_input, reader.where() + ".failures must be a list");
  }
  for (const Json& failure : list) {
    failures.push_back(experiment::failure_from_json(failure, reader.where() + ".failures"));
    expect_plain(failures.back().subject, "subject");
  }
  return failures;
}

Prepared read_prepared(ObjectReader& reader) {
  Prepared answer;
  for_each_object(reader, "inputs", [&](ObjectReader& input) {
    InputDigest digest;
    digest.name = input.take<std::string>("name");
    digest.dtype = input.take<std::string>("dtype");
    digest.shape = take_list<std::int64_t>(input, "shape");
    digest.sha256 = input.take<std::string>("sha256");
    answer.inputs.push_back(std::move(digest));
  });
  answer.footprint_bytes = reader.take<std::int64_t>("footprint_bytes");
  if (reader.has("max_iterations")) {
    answer.max_iterations = reader.take<std::int64_t>("max_iterations");
  }
  if (const Json* rotation = reader.optional_member("rotation")) {
    answer.rotation = rotation_from_json(*rotation, reader.where() + ".rotation");
  }
  for_each_object(reader, "preparations", [&](ObjectReader& element) {
    Prepared::Preparation preparation;
    preparation.subject = take_plain(element, "subject");
    preparation.interval_ns = element.take<double>("interval_ns");
    preparation.reuse_count = element.take<std::int64_t>("reuse_count");
    answer.preparations.push_back(std::move(preparation));
  });
  if (reader.has("generated")) {
    for_each_object(reader, "generated", [&](ObjectReader& element) {
      answer.generated.push_back(generated_from(element));
      expect_plain(answer.generated.back().subject, "subject");
    });
  }
  answer.failures = take_failures(reader);
  return answer;
}

Checked read_checked(ObjectReader& reader) {
  Checked answer;
  const Json& results = reader.member("results");
  if (!results.is_array()) {
    throw Error(ErrorKind::bad_input, reader.where() + ".results must be a list");
  }
  for (const Json& result : results) {
    answer.results.push_back(
        experiment::check_result_from_json(result, reader.where() + ".results"));
    expect_plain(answer.results.back().subject, "subject");
  }
  answer.reference_ns = reader.take<double>("reference_ns");
  return answer;
}

std::vector<KernelRuns> take_kernels(ObjectReader& reader) {
  std::vector<KernelRuns> kernels;
  for_each_object(reader, "kernels", [&](ObjectReader& element) {
    KernelRuns runs;
    runs.kernel = take_plain(element, "kernel");
    runs.grid = element.take<std::int64_t>("grid");
    runs.threads = element.take<std::int64_t>("threads");
    runs.begins_ns = take_list<std::int64_t>(element, "begins_ns");
    runs.durations_ns = take_list<std::int64_t>(element, "durations_ns");
    const auto is_negative = [](std::int64_t ns) { return ns < 0; };
    if (runs.begins_ns.empty() || runs.begins_ns.size() != runs.durations_ns.size() ||
        std::any_of(runs.begins_ns.begin(), runs.begins_ns.end(), is_negative) ||
        std::any_of(runs.durations_ns.begin(), runs.durations_ns.end(), is_negative) ||
        runs.grid < 0 || runs.threads < 0) {
      throw Error(ErrorKind::bad_input,
                  element.where() +
                      ": expected begins_ns and durations_ns of the same length, at least one, and "
                      "nothing negative");
    }
    kernels.push_back(std::move(runs));
  });
  return kernels;
}

std::vector<SampleTaken> take_samples(ObjectReader& reader) {
  std::vector<SampleTaken> samples;
  for_each_object(reader, "samples", [&](ObjectReader& element) {
    SampleTaken sample;
    sample.subject = take_plain(element, "subject");
    sample.interval_ns = element.take<double>("interval_ns");
    sample.start_ns = element.take<std::int64_t>("start_ns");
    sample.flags = take_plain(element, "flags");
    if (element.has("kernels")) sample.kernels = take_kernels(element);
    samples.push_back(std::move(sample));
  });
  return samples;
}

BlockDone read_block_done(ObjectReader& reader) {
  BlockDone answer;
  answer.samples = take_samples(reader);
  answer.failures = take_failures(reader);
  if (const Json* device = reader.optional_member("device")) {
    ObjectReader pair(*device, reader.where() + ".device");
    answer.device = DeviceMeanwhile{telemetry_from(pair.member("before"), pair.where() + ".before"),
                                    telemetry_from(pair.member("after"), pair.where() + ".after")};
    pair.finish();
  }
  if (const Json* memory = reader.optional_member("memory")) {
    answer.memory = memory_use_from_json(*memory, reader.where() + ".memory");
    expect_plain(answer.memory->capacity_of, "capacity_of");
  }
  if (const Json* startup = reader.optional_member("startup")) {
    answer.startup = startup_from(*startup, reader.where() + ".startup");
  }
  return answer;
}

Refused read_refused(ObjectReader& reader) {
  Refused answer;
  answer.kind = reader.take<std::string>("error");
  answer.message = reader.take<std::string>("message");
  answer.subject = take_plain(reader, "subject");
  return answer;
}

Answer read_answer(ObjectReader& reader) {
  if (reader.has("error")) return read_refused(reader);
  const auto kind = reader.take<std::string>("answer");
  if (kind == "describe") {
    auto description = experiment::description_from_json(reader.member("description"),
                                                         reader.where() + ".description");
    for (const auto& timer : description.timers) expect_plain(timer.name, "timer");
    return description;
  }
  if (kind == "prepare") return read_prepared(reader);
  if (kind == "check") return read_checked(reader);
  if (kind == "block") return read_block_done(reader);
  if (kind == "canary") return CanaryDone{take_samples(reader)};
  if (kind == "ceilings") {
    return CeilingsDone{
        ceilings_from_json(reader.member("ceilings"), reader.where() + ".ceilings")};
  }
  if (kind == "idle") return Idled{};
  if (kind == "end") return Ended{};
  throw Error(ErrorKind::bad_input, "there is no answer '" + kind + "'");
}

}  // namespace

std::string to_line(const Envelope& envelope, const Answer& answer) {
  return line_of(
      std::visit([&](const auto& given) { return json_of_message(envelope, given); }, answer));
}

std::pair<Envelope, Answer> answer_from_line(std::string_view line) {
  return reading_line(line, "one answer of the worker protocol", [&] {
    const Json json = parse_json(line, "the answer");
    ObjectReader reader(json, "answer");
    Envelope envelope = take_envelope(reader);
    Answer answer = read_answer(reader);
    reader.finish();
    return std::pair(std::move(envelope), std::move(answer));
  });
}

}  // namespace assay::wire

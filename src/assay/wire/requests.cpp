// SPDX-License-Identifier: MIT
#include <type_traits>

#include "assay/wire/envelope.hpp"
#include "assay/wire/messages.hpp"

namespace assay::wire {
namespace {

void write(Json& json, const Describe& request) {
  json["device"] = request.device;
  json["boundary"] = request.boundary;
  json["timer"] = request.timer;
  json["measures"] = request.measures;
  if (request.ceilings)
    json["ceilings"] = true;  // programs of before it refuse what they do not know
  Json cases = Json::object();
  for (const auto& [problem, list] : request.cases) {
    Json ids = Json::array();
    for (const Case& the_case : list) ids.push_back(the_case.id());
    cases[problem] = std::move(ids);
  }
  json["cases"] = std::move(cases);
}

void write(Json& json, const Prepare& request) {
  json["cell"] = Json{{"problem", request.cell.problem},
                      {"case", request.cell.the_case.id()},
                      {"state", request.cell.state},
                      {"boundary", request.cell.boundary}};
  json["subjects"] = request.subjects;
  json["baseline"] = request.baseline;
  json["content_key"] = hex_of(request.content_key);
  json["timer"] = request.timer;
  json["single_core"] = request.single_core;
  json["all_cores"] = request.all_cores;
  json["trial"] = request.trial;
}

void write(Json& json, const Check& request) {
  json["kind"] = request.kind;
  json["subjects"] = request.subjects;
  json["content_key"] = hex_of(request.content_key);
}

void write(Json& json, const Block& request) {
  json["order"] = request.order;
  json["iterations"] = request.iterations;
  json["content_key"] = hex_of(request.content_key);
  json["keep_outputs"] = request.keep_outputs;
  json["phase"] = request.phase;
  json["block"] = request.block;
}

void write(Json& json, const Canary& request) {
  json["moment"] = request.moment;
  json["timer"] = request.timer;
  json["single_core"] = request.single_core;
  json["trial"] = request.trial;
}

void write(Json& json, const Ceilings& request) { json["budget_s"] = request.budget_s; }

void write(Json&, const Idle&) {}
void write(Json&, const End&) {}

constexpr const char* kind_of(const Describe&) { return "describe"; }
constexpr const char* kind_of(const Prepare&) { return "prepare"; }
constexpr const char* kind_of(const Check&) { return "check"; }
constexpr const char* kind_of(const Block&) { return "block"; }
constexpr const char* kind_of(const Canary&) { return "canary"; }
constexpr const char* kind_of(const Ceilings&) { return "ceilings"; }
constexpr const char* kind_of(const Idle&) { return "idle"; }
constexpr const char* kind_of(const End&) { return "end"; }

Describe read_describe(ObjectReader& reader) {
  Describe request;
  request.device = reader.take<std::string>("device");
  request.boundary = reader.take<std::string>("boundary");
  request.timer = reader.take<std::string>("timer");
  request.measures = reader.take<bool>("measures");
  request.ceilings = reader.take_or<bool>("ceilings", false);
  const Json& cases = reader.member("cases");
  ObjectReader problems(cases, reader.where() + ".cases");
  for (const auto& [problem, list] : cases.items()) {
    std::vector<Case>& read = request.cases[problem];
    for (const std::string& id : take_list<std::string>(problems, problem)) {
      read.push_back(Case::parse(id));
    }
  }
  return request;
}

Prepare read_prepare(ObjectReader& reader) {
  Prepare request;
  ObjectReader cell(reader.member("cell"), reader.where() + ".cell");
  request.cell.problem = cell.take<std::string>("problem");
  request.cell.the_case = take_case(cell, "case");
  request.cell.state = cell.take<std::string>("state");
  request.cell.boundary = cell.take<std::string>("boundary");
  cell.finish();
  request.subjects = take_list<std::string>(reader, "subjects");
  request.baseline = reader.take<std::string>("baseline");
  request.content_key = take_hex(reader, "content_key");
  request.timer = reader.take<std::string>("timer");
  request.single_core = take_list<int>(reader, "single_core");
  request.all_cores = take_list<int>(reader, "all_cores");
  request.trial = reader.take<std::int64_t>("trial");
  return request;
}

Check read_check(ObjectReader& reader) {
  Check request;
  request.kind = reader.take<std::string>("kind");
  request.subjects = take_list<std::string>(reader, "subjects");
  request.content_key = take_hex(reader, "content_key");
  return request;
}

Block read_block(ObjectReader& reader) {
  Block request;
  request.order = take_list<std::string>(reader, "order");
  request.iterations = reader.take<std::int64_t>("iterations");
  request.content_key = take_hex(reader, "content_key");
  request.keep_outputs = reader.take<bool>("keep_outputs");
  request.phase = reader.take<std::string>("phase");
  request.block = reader.take<std::int64_t>("block");
  if (request.iterations < 1) {
    throw Error(ErrorKind::bad_input, reader.where() + ": 'iterations' must be at least 1");
  }
  return request;
}

Canary read_canary(ObjectReader& reader) {
  Canary request;
  request.moment = reader.take<std::string>("moment");
  request.timer = reader.take<std::string>("timer");
  request.single_core = take_list<int>(reader, "single_core");
  request.trial = reader.take<std::int64_t>("trial");
  return request;
}

Ceilings read_ceilings(ObjectReader& reader) {
  const Ceilings request{reader.take<double>("budget_s")};
  if (!(request.budget_s > 0)) {
    throw Error(ErrorKind::bad_input, reader.where() + ": 'budget_s' must be above 0");
  }
  return request;
}

Request read_request(const std::string& kind, ObjectReader& reader) {
  if (kind == "describe") return read_describe(reader);
  if (kind == "prepare") return read_prepare(reader);
  if (kind == "check") return read_check(reader);
  if (kind == "block") return read_block(reader);
  if (kind == "canary") return read_canary(reader);
  if (kind == "ceilings") return read_ceilings(reader);
  if (kind == "idle") return Idle{};
  if (kind == "end") return End{};
  throw Error(ErrorKind::bad_input, "there is no request '" + kind + "'");
}

}  // namespace

std::string to_line(const Envelope& envelope, const Request& request) {
  return std::visit(
      [&](const auto& asked) {
        Json json = sealed(envelope, "ask", kind_of(asked));
        write(json, asked);
        return line_of(json);
      },
      request);
}

std::pair<Envelope, Request> request_from_line(std::string_view line) {
  return reading_line(line, "one request of the worker protocol", [&] {
    const Json json = parse_json(line, "the request");
    ObjectReader reader(json, "request");
    Envelope envelope = take_envelope(reader);
    Request request = read_request(reader.take<std::string>("ask"), reader);
    reader.finish();
    return std::pair(std::move(envelope), std::move(request));
  });
}

}  // namespace assay::wire

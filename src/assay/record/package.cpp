// SPDX-License-Identifier: MIT
#include "assay/record/package.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "assay/base/digest.hpp"
#include "assay/base/json.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/files.hpp"
#include "assay/record/kernels.hpp"
#include "assay/record/startup_table.hpp"
#include "assay/record/tables.hpp"
#include "assay/record/telemetry_table.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

std::string path_in_bag(const Table& table) { return "data/" + std::string(table.file); }

// "samples" of "samples.csv".
std::string resource_name(const Table& table) {
  return std::string(table.file.substr(0, table.file.rfind('.')));
}

// Of a package: lower-case letters, digits, '-', '.' and '_'.
std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    if (!is_plain) c = '-';
  }
  return plain;
}

// Fields of headers are never quoted.
std::vector<Column> columns_of_file(const fs::path& file, const Table& table) {
  // The longest is below 1 KiB.
  constexpr std::uint64_t most_bytes = 1 << 14;
  const std::string header = first_line(file, most_bytes);
  std::vector<Column> columns;
  for (std::size_t at = 0; at <= header.size();) {
    const std::size_t end = std::min(header.find(',', at), header.size());
    const std::string_view name = std::string_view(header).substr(at, end - at);
    const auto column =
        std::find_if(table.columns.begin(), table.columns.end(),
                     [name](const Column& candidate) { return candidate.name == name; });
    if (column == table.columns.end()) {
      throw Error(ErrorKind::bad_input, file.string() + ":1: has a column that this version of " +
                                            "Assay does not know: its header is damaged, or of " +
                                            "another version");
    }
    columns.push_back(*column);
    at = end + 1;
  }
  return columns;
}

Json field_of(const Column& column) {
  Json field{{"name", column.name}};
  Json constraints = Json::object();
  if (!column.may_be_empty) constraints["required"] = true;
  switch (column.type) {
    case Column::Type::text:
      field["type"] = "string";
      break;
    case Column::Type::integer:
      field["type"] = "integer";
      constraints["minimum"] = column.least;
      break;
    case Column::Type::number:
      field["type"] = "number";
      constraints["minimum"] = column.least;
      break;
    case Column::Type::time:
      field["type"] = "datetime";
      field["format"] = "%Y-%m-%dT%H:%M:%S+00:00";
      break;
    case Column::Type::integers:
      field["type"] = "string";
      constraints["pattern"] = "[0-9]+( [0-9]+)*";
      break;
  }
  if (!column.unit.empty()) field["unit"] = column.unit;
  field["description"] = column.meaning;
  if (!constraints.empty()) field["constraints"] = constraints;
  return field;
}

Json names_of(std::span<const std::string_view> names) {
  Json array = Json::array();
  for (const std::string_view name : names) array.push_back(name);
  return array;
}

Json schema_of(const Table& table, const std::vector<Column>& columns) {
  Json fields = Json::array();
  for (const Column& column : columns) fields.push_back(field_of(column));
  // Where every number is there, an empty text is a text, and no value is missing.
  const bool has_missing = std::any_of(columns.begin(), columns.end(), [](const Column& column) {
    return column.may_be_empty && column.type != Column::Type::text;
  });
  Json schema{{"fields", fields},
              {"missingValues", has_missing ? Json::array({""}) : Json::array()}};
  schema["primaryKey"] = names_of(table.primary_key);
  Json keys = Json::array();
  for (const ForeignKey& key : table.foreign_keys) {
    keys.push_back({{"fields", names_of(key.columns)},
                    {"reference", {{"resource", key.table}, {"fields", names_of(key.columns)}}}});
  }
  if (!keys.empty()) schema["foreignKeys"] = keys;
  return schema;
}

Json resource_of(const fs::path& record, const Table& table, const std::string& digest) {
  const fs::path file = record / path_in_bag(table);
  return {{"name", resource_name(table)},
          {"path", table.file},
          {"profile", "tabular-data-resource"},
          {"description", table.meaning},
          {"format", "csv"},
          {"mediatype", "text/csv"},
          {"encoding", "utf-8"},
          {"bytes", fs::file_size(file)},
          {"hash", "sha256:" + digest},
          {"schema", schema_of(table, columns_of_file(file, table))}};
}

Json package_of(const fs::path& record, std::string_view name,
                const std::map<std::string, std::string>& digests) {
  Json resources = Json::array();
  for (const Table* table : tables_of_records()) {
    const auto digest = digests.find(path_in_bag(*table));
    if (digest != digests.end()) resources.push_back(resource_of(record, *table, digest->second));
  }
  return {{"profile", "tabular-data-package"},
          {"name", plain_name(name)},
          {"description", "The tables of a record of Assay: every sample of one run."},
          {"resources", resources}};
}

// What holds whichever version wrote it.
Json facts_of_package(const Json& package) {
  Json facts = Json::object();
  for (const Json& resource : package.at("resources")) {
    Json names = Json::array();
    for (const Json& field : resource.at("schema").at("fields")) names.push_back(field.at("name"));
    facts[resource.at("path").get<std::string>()] = {
        {"columns", names}, {"bytes", resource.at("bytes")}, {"hash", resource.at("hash")}};
  }
  return facts;
}

std::string difference_of_facts(const Json& stored, const Json& made) {
  for (const auto& [file, facts] : made.items()) {
    if (!stored.contains(file)) return "does not name " + file + ", which the record has";
    for (const auto& [what, value] : facts.items()) {
      if (stored.at(file).at(what) != value) {
        return "says other " + what + " of " + file + " than the file has";
      }
    }
  }
  for (const auto& [file, facts] : stored.items()) {
    if (!made.contains(file)) return "names " + file + ", which is no table of this record";
  }
  return "";
}

std::optional<Json> facts_of_text(const std::string& text) {
  try {
    return facts_of_package(parse_json(text, package_name));
  } catch (const Error&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::span<const Table* const> tables_of_records() {
  static constexpr std::array<const Table*, 6> all{&samples_table, &trials_table,
                                                   &kernels_table, &command_runs_table,
                                                   &startup_table, &telemetry_table};
  return all;
}

std::map<std::string, std::string> table_digests(const fs::path& record) {
  std::map<std::string, std::string> digests;
  for (const Table* table : tables_of_records()) {
    const std::string path = path_in_bag(*table);
    if (fs::is_regular_file(record / path)) digests[path] = sha256_hex_of_file(record / path);
  }
  return digests;
}

std::string package_text(const fs::path& record, std::string_view name,
                         const std::map<std::string, std::string>& digests) {
  return json_text(package_of(record, name, digests));
}

PackageCheck check_package(const fs::path& record, const std::string& made_by,
                           const std::string& version) {
  const fs::path file = record / "data" / package_name;
  if (!fs::is_regular_file(file)) return {};
  const std::string said = std::string(package_name) + ": ";
  const std::string stored = read_file(file);
  const Json made = package_of(record, record_name(record), table_digests(record));
  if (stored == json_text(made)) return {};
  const auto facts = facts_of_text(stored);
  if (!facts) return {said + "not a description of the record's tables", ""};
  const std::string difference = difference_of_facts(*facts, facts_of_package(made));
  if (!difference.empty()) return {said + difference, ""};
  if (made_by == version) return {said + "not what this version makes of the record's tables", ""};
  return {"", std::string(package_name) + " was made by Assay " + made_by + " and this is " +
                  version + ": of it only names, columns, sizes and digests of the tables were " +
                  "compared"};
}

}  // namespace assay::record

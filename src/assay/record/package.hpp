// SPDX-License-Identifier: MIT
//
// datapackage.json: what the record's tables are, for tools that know nothing of Assay. A Tabular
// Data Package (version 1 of Frictionless' standards, which readers of version 2 take too): for
// each table its size, SHA-256, and the name, type, unit and meaning of each column with the keys
// among them. It holds nothing that the tables and the lists of columns.hpp do not say already, so
// it is written last and can be made again at any time.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "assay/record/columns.hpp"

namespace assay::record {

inline constexpr const char* package_name = "datapackage.json";

// Of all tables that a record can have, in the order of the package.
std::span<const Table* const> tables_of_records();

// Path in the bag ("data/samples.csv") to SHA-256, of the tables that are there. Throws
// Error{bad_input} if one cannot be read.
std::map<std::string, std::string> table_digests(const std::filesystem::path& record);

// The text of datapackage.json. name: of the record; digests: as above. Throws Error{bad_input} if
// a table cannot be read or has a column that no such table has.
std::string package_text(const std::filesystem::path& record, std::string_view name,
                         const std::map<std::string, std::string>& digests);

struct PackageCheck {
  std::string difference;  // a sentence; empty: none was found
  std::string note;  // a sentence: why not all of it was compared; empty: it was, or is not there
};

// Compares data/datapackage.json with the tables: by every byte if this version (`version`) wrote
// the record (`made_by`), else by which tables there are, their columns, sizes and digests. Records
// of earlier versions have none.
PackageCheck check_package(const std::filesystem::path& record, const std::string& made_by,
                           const std::string& version);

}  // namespace assay::record

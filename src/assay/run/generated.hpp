// SPDX-License-Identifier: MIT
//
// GeneratedCode: what workers made from subjects' sources, as the record keeps it:
// generated/kernels.json says what, for which subject and case, and with which resources; the
// machine code and the PTX lie beside it under their digests. Internal.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/record/writer.hpp"
#include "assay/wire/messages.hpp"

namespace assay::run {

class GeneratedCode {
 public:
  static constexpr const char* file = "generated/kernels.json";
  static constexpr const char* format = "assay-generated/1";

  // Keeps each that is new: fresh processes of the same build make the same code over and over, and
  // what differs from before is kept as well. Copies that are not what the worker said are left
  // out, with the reason. Throws Error{write}, and Error{bad_input} if a record that is gone on
  // with has a damaged list.
  void keep(record::Writer& writer, const std::vector<wire::Generated>& generated,
            const std::string& build, const std::string& problem, const std::string& case_id,
            std::int64_t trial);

 private:
  void read(const record::Writer& writer);

  bool is_read_ = false;
  Json kernels_ = Json::array();
  std::set<std::string> seen_;
};

}  // namespace assay::run

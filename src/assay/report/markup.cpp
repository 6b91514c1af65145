// SPDX-License-Identifier: MIT
#include "assay/report/markup.hpp"

#include <fmt/format.h>

namespace assay::report {

std::string escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
          result += "\xEF\xBF\xBD";
        } else {
          result += c;
        }
    }
  }
  return result;
}

std::string element(std::string_view tag, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>\n", tag, escaped(text));
}

TableMarkup::TableMarkup(std::string_view caption, const std::vector<std::string>& header) {
  text_ = "<div class=\"wide\"><table>" + element("caption", caption) + "<thead><tr>";
  for (const std::string& name : header) {
    text_ += fmt::format("<th scope=\"col\">{}</th>", escaped(name));
  }
  text_ += "</tr></thead>\n<tbody>\n";
}

namespace {

// A number with its unit or its range is read as one: it stays on a line.
bool is_number(std::string_view cell) {
  return !cell.empty() && cell.front() >= '0' && cell.front() <= '9';
}

}  // namespace

void TableMarkup::row(const std::vector<std::string>& cells) {
  text_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text_ += i == 0 ? fmt::format("<th scope=\"row\">{}</th>", cells[i])
                    : fmt::format("<td{}>{}</td>", is_number(cells[i]) ? " class=\"number\"" : "",
                                  cells[i]);
  }
  text_ += "</tr>\n";
}

std::string text_table(std::string_view caption,
                       const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  TableMarkup table(caption, rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::vector<std::string> cells;
    for (const std::string& cell : rows[i]) cells.push_back(escaped(cell));
    table.row(cells);
  }
  return table.markup();
}

std::string definitions(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text;
  for (const auto& [term, description] : entries) {
    if (description.empty()) continue;
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(term), escaped(description));
  }
  return text.empty() ? "" : "<dl>\n" + text + "</dl>\n";
}

std::string bullets(const std::vector<std::string>& sentences) {
  std::string text = "<ul>\n";
  for (const std::string& sentence : sentences) text += element("li", sentence);
  return text + "</ul>\n";
}

}  // namespace assay::report

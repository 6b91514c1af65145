// SPDX-License-Identifier: MIT
#include "assay/report/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/judge/text.hpp"
#include "assay/report/columns.hpp"
#include "assay/report/markup.hpp"
#include "assay/stats/summary.hpp"

namespace assay::report {
namespace {

// In units of the drawing; the page scales it to its width.
constexpr int kWidth = 760;
constexpr int kLeft = 150;  // room for a subject's name and its scale
constexpr int kRight = 90;  // room for what was counted
constexpr int kPlot = kWidth - kLeft - kRight;
constexpr int kLane = 56;
constexpr int kGap = 12;
constexpr std::size_t kLabelColumns = 20;

// The frame of a lane: all values, unless a few lie so far out that the bulk would be a line.
struct Frame {
  double low = 0;
  double high = 1;

  int y(double value, int top) const {
    const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return top + kLane - static_cast<int>(std::lround(share * kLane));
  }
  int x(double value) const {
    const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
    return kLeft + static_cast<int>(std::lround(share * kPlot));
  }
  bool holds(double value) const { return value >= low && value <= high; }
};

Frame frame_of(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = stats::quantile(values, 0.02);
  const double high = stats::quantile(values, 0.98);
  const double reach = 1.5 * (high - low);
  Frame frame{std::max(*least, low - reach), std::min(*most, high + reach)};
  if (!(frame.high > frame.low)) {
    const double pad = frame.low == 0 ? 1 : std::abs(frame.low) * 1e-3;
    frame = {frame.low - pad, frame.high + pad};
  }
  return frame;
}

std::string open_svg(const std::string& title, const std::string& description, int height) {
  return fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n"
      "<title>{}</title>\n<desc>{}</desc>\n",
      kWidth, height, escaped(title), escaped(title), escaped(description));
}

std::string svg_text(int x, int y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string lane_frame(int top, const std::string& label) {
  return fmt::format("<path class=\"frame\" d=\"M{} {}v{}h{}\"/>\n", kLeft, top, kLane, kPlot) +
         svg_text(4, top + 12, "start", cut_to(label, kLabelColumns));
}

// Few samples in many bins look like a comb.
std::size_t bins_for(std::size_t samples) {
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(samples)));
  return std::clamp<std::size_t>(root, 12, 60);
}

std::size_t total(const std::vector<Lane>& lanes) {
  std::size_t count = 0;
  for (const Lane& lane : lanes) count += lane.values.size();
  return count;
}

// Which values to draw: all, or of each run the lowest and the highest.
std::vector<std::size_t> drawn_of(const std::vector<double>& values, std::size_t most) {
  std::vector<std::size_t> drawn;
  if (values.size() <= most) {
    for (std::size_t i = 0; i < values.size(); ++i) drawn.push_back(i);
    return drawn;
  }
  const std::size_t runs = std::max<std::size_t>(1, most / 2);
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t begin = run * values.size() / runs;
    const std::size_t end = (run + 1) * values.size() / runs;
    if (begin == end) continue;
    const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto [low, high] = std::minmax_element(at(begin), at(end));
    drawn.push_back(static_cast<std::size_t>(low - values.begin()));
    if (low != high) drawn.push_back(static_cast<std::size_t>(high - values.begin()));
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace

std::string time_order_chart(const std::string& title, const std::vector<Lane>& lanes,
                             std::size_t points_per_lane) {
  std::string body;
  std::size_t shown = 0;
  int top = 8;
  for (const Lane& lane : lanes) {
    body += lane_frame(top, lane.label);
    if (lane.values.empty()) {
      body += svg_text(kLeft + 8, top + kLane / 2, "start", "no samples");
      top += kLane + kGap;
      continue;
    }
    const Frame frame = frame_of(lane.values);
    const auto x = [&](std::size_t i) {
      const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(lane.values.size());
      return kLeft + static_cast<int>(std::lround(share * kPlot));
    };
    std::string breaks;
    for (const std::size_t i : lane.breaks) {
      if (i > 0) breaks += fmt::format("M{} {}v{}", x(i), top, kLane);
    }
    std::string inside;
    std::string outside;
    for (const std::size_t i : drawn_of(lane.values, points_per_lane)) {
      const double value = lane.values[i];
      ++shown;
      if (frame.holds(value)) {
        inside += fmt::format("M{} {}h0", x(i), frame.y(value, top));
      } else {
        outside += fmt::format("M{} {}l3 {}h-6z", x(i), value > frame.high ? top : top + kLane,
                               value > frame.high ? 5 : -5);
      }
    }
    const auto beyond = std::count_if(lane.values.begin(), lane.values.end(),
                                      [&](double v) { return !frame.holds(v); });
    if (!breaks.empty()) body += fmt::format("<path class=\"break\" d=\"{}\"/>\n", breaks);
    body += fmt::format("<path class=\"points\" d=\"{}\"/>\n", inside);
    if (!outside.empty()) body += fmt::format("<path class=\"beyond\" d=\"{}\"/>\n", outside);
    body += svg_text(kLeft - 4, top + 8, "end", judge::time_text(frame.high));
    body += svg_text(kLeft - 4, top + kLane, "end", judge::time_text(frame.low));
    if (beyond > 0) {
      body += svg_text(kLeft + kPlot + 4, top + 12, "start", fmt::format("{} beyond", beyond));
    }
    top += kLane + kGap;
  }
  const std::size_t all = total(lanes);
  std::string description =
      "One point a sample, from the first to the last; lines part the trials; triangles at the "
      "edge are samples beyond it.";
  if (shown < all) {
    description += fmt::format(
        " {} of {} samples are drawn: of each run of neighbours the lowest and the highest.", shown,
        all);
  }
  return fmt::format("<figure>\n{}{}</svg>\n<figcaption>{}. {}</figcaption>\n</figure>\n",
                     open_svg(title, description, top), body, escaped(title), escaped(description));
}

std::string distribution_chart(const std::string& title, const std::vector<Lane>& lanes) {
  std::string body;
  int top = 8;
  for (const Lane& lane : lanes) {
    body += lane_frame(top, lane.label);
    if (lane.values.empty()) {
      top += kLane + kGap + 8;
      continue;
    }
    const Frame frame = frame_of(lane.values);
    const std::size_t bins = bins_for(lane.values.size());
    std::vector<std::size_t> counts(bins, 0);
    std::size_t beyond = 0;
    for (const double value : lane.values) {
      if (!frame.holds(value)) {
        ++beyond;
        continue;
      }
      const double share = (value - frame.low) / (frame.high - frame.low);
      ++counts[std::min(bins - 1, static_cast<std::size_t>(share * static_cast<double>(bins)))];
    }
    const std::size_t most =
        std::max<std::size_t>(1, *std::max_element(counts.begin(), counts.end()));
    std::string bars;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      if (counts[bin] == 0) continue;
      const int left = kLeft + static_cast<int>(bin * kPlot / bins);
      const int right = kLeft + static_cast<int>((bin + 1) * kPlot / bins);
      // At least one unit: a bin that holds something is never invisible.
      const int height = std::max(1, static_cast<int>(counts[bin] * kLane / most));
      bars += fmt::format("M{} {}v-{}h{}v{}z", left, top + kLane, height,
                          std::max(1, right - left - 1), height);
    }
    const int median = frame.x(stats::median(lane.values));
    body += fmt::format("<path class=\"bars\" d=\"{}\"/>\n", bars);
    body += fmt::format("<path class=\"line\" d=\"M{} {}v{}\"/>\n", median, top, kLane);
    body += svg_text(kLeft, top + kLane + 11, "start", judge::time_text(frame.low));
    body += svg_text(kLeft + kPlot, top + kLane + 11, "end", judge::time_text(frame.high));
    if (beyond > 0) {
      body += svg_text(kLeft + kPlot + 4, top + 12, "start", fmt::format("{} beyond", beyond));
    }
    top += kLane + kGap + 8;
  }
  const std::string description =
      "Histograms of all measured samples, each on its own scale; the line is the median.";
  return fmt::format("<figure>\n{}{}</svg>\n<figcaption>{}. {}</figcaption>\n</figure>\n",
                     open_svg(title, description, top), body, escaped(title), escaped(description));
}

std::string ratio_chart(const std::string& title, const std::vector<Lane>& lanes, double margin) {
  constexpr int kRatioLane = 26;
  std::vector<double> all{1 / (1 + margin), 1 + margin};
  for (const Lane& lane : lanes) all.insert(all.end(), lane.values.begin(), lane.values.end());
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  const double pad = std::max(0.05 * (*most - *least), 1e-6);
  const Frame frame{*least - pad, *most + pad};

  std::string body;
  const int height = 8 + static_cast<int>(lanes.size()) * kRatioLane;
  body += fmt::format("<path class=\"band\" d=\"M{} 8H{}V{}H{}z\"/>\n", frame.x(1 / (1 + margin)),
                      frame.x(1 + margin), height, frame.x(1 / (1 + margin)));
  body += fmt::format("<path class=\"line\" d=\"M{} 8V{}\"/>\n", frame.x(1), height);
  int top = 8;
  for (const Lane& lane : lanes) {
    const int middle = top + kRatioLane / 2;
    body += svg_text(4, middle + 4, "start", cut_to(lane.label, kLabelColumns));
    body += fmt::format("<path class=\"frame\" d=\"M{} {}h{}\"/>\n", kLeft, middle, kPlot);
    std::string marks;
    for (const double value : lane.values) {
      marks += fmt::format("M{} {}v10", frame.x(value), middle - 5);
    }
    if (!marks.empty()) body += fmt::format("<path class=\"marks\" d=\"{}\"/>\n", marks);
    top += kRatioLane;
  }
  body += svg_text(kLeft, height + 12, "start", judge::ratio_text(frame.low));
  body += svg_text(kLeft + kPlot, height + 12, "end", judge::ratio_text(frame.high));
  if (frame.x(1) > kLeft + 50 && frame.x(1) < kLeft + kPlot - 50) {
    body += svg_text(frame.x(1), height + 12, "middle", "1");
  }
  const std::string description = fmt::format(
      "One mark a trial: time ÷ time of the baseline. The line is 1, the band the margin of {}.",
      judge::percent_text(margin));
  return fmt::format("<figure>\n{}{}</svg>\n<figcaption>{}. {}</figcaption>\n</figure>\n",
                     open_svg(title, description, height + 18), body, escaped(title),
                     escaped(description));
}

}  // namespace assay::report

// SPDX-License-Identifier: MIT
//
// Copies: the workspaces of one cell. Most cells have one; one that rotates has several of the same
// content, and each sample takes the next, so that what it touches was last touched when as many
// other bytes as several caches hold had not yet passed by. Where tensors begin inside a page is
// the same in all of them. Internal.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "assay/base/rotation.hpp"
#include "assay/measure/workspace.hpp"

namespace assay::measure {

class Copies {
 public:
  // One of them. helpers: as of a Workspace.
  Copies(const Contract& contract, const Case& the_case, device::Device& device,
         std::uint64_t placement_key, const Helpers& helpers);

  // Makes the others, filled like the first is going to be. Throws Error{usage} where the cell
  // cannot be rotated, with the numbers and what to do, Error{device} where there is no room.
  void rotate();
  const std::optional<Rotation>& rotation() const noexcept { return rotation_; }

  Workspace& first() noexcept { return *all_.front(); }
  const Workspace& first() const noexcept { return *all_.front(); }
  std::size_t count() const noexcept { return all_.size(); }
  Workspace& operator[](std::size_t index) { return *all_[index]; }

  // Where the copy lies that a sample takes now.
  std::size_t take_next() noexcept;
  // That a copy was read or written between two of its turns, by something that is no sample: then
  // it is in the caches, and what is written in place may not be as it was filled.
  void touch(std::size_t index) noexcept { is_touched_[index] = true; }
  // Whether it was since it was last asked.
  bool take_touch(std::size_t index) noexcept;

  // Of all of them alike: Workspace::fill, renew and watch_inputs. The last one touches them; after
  // the first, others have passed by whenever the turn of one comes.
  void fill(std::uint64_t content_key);
  // Where they rotate, afterwards no cache holds what was written in any of them: who takes which
  // of them next is not known where a block's turn goes to and fro between builds.
  void renew(std::uint64_t content_key, Workspace::Extent extent);
  void watch_inputs();

 private:
  std::unique_ptr<Workspace> make() const;

  const Contract* contract_;
  Case case_;
  device::Device* device_;
  std::uint64_t placement_key_;
  Helpers helpers_;
  std::vector<std::unique_ptr<Workspace>> all_;
  std::optional<Rotation> rotation_;
  std::size_t next_ = 0;
  std::vector<bool> is_touched_;
};

}  // namespace assay::measure

// Parts of weights.
#include <algorithm>

#include "engine/base/checked.hpp"
#include "headway/weights.hpp"

namespace headway {

Weight Weight::rows(int64_t begin, int64_t end) const {
  const Shape& whole = shape();
  if (whole.rank() == 0 || begin < 0 || begin > end || end > whole[0]) {
    fail(ErrorCode::invalid_argument, "rows ", begin, " to ", end, " of a weight of the shape ",
         whole.to_string());
  }
  std::array<int64_t, Shape::kMaxRank> extents{};
  std::copy(whole.begin(), whole.end(), extents.begin());
  extents[0] = end - begin;
  const Shape part(std::span(extents.data(), whole.rank()));
  const size_t row_bytes = whole[0] == 0 ? 0 : view_.bytes() / static_cast<size_t>(whole[0]);
  const auto* data =
      static_cast<const std::byte*>(view_.data) + row_bytes * static_cast<size_t>(begin);
  return {TensorView(data, view_.dtype, part), name_, source_};
}

void Weight::expect_unchanged() const {
  if (source_ != nullptr) source_->expect_unchanged();
}

void Weight::done() const {
  if (source_ != nullptr) source_->done_with(view_.data, view_.bytes());
}

}  // namespace headway

// numpy arrays as the module takes them, and the library's names of things.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "headway/error.hpp"
#include "headway/operations.hpp"

namespace headway::python {

template <typename T, size_t kRank>
using Array = nanobind::ndarray<const T, nanobind::ndim<kRank>, nanobind::device::cpu>;
template <size_t kRank>
using DenseArray = nanobind::ndarray<const float, nanobind::ndim<kRank>, nanobind::c_contig,
                                     nanobind::device::cpu>;
// Written in place.
template <size_t kRank>
using OutputArray =
    nanobind::ndarray<float, nanobind::ndim<kRank>, nanobind::c_contig, nanobind::device::cpu>;

// A numpy array of numbers made here, which it keeps: [numbers.size()], or of other extents.
template <typename T>
nanobind::ndarray<nanobind::numpy, T> to_numpy(std::vector<T> numbers,
                                               std::vector<size_t> extents = {}) {
  if (extents.empty()) extents.push_back(numbers.size());
  numbers.reserve(1);  // numpy takes no null pointer
  auto made = std::make_unique<std::vector<T>>(std::move(numbers));
  const nanobind::capsule owner(
      made.get(), [](void* kept) noexcept { delete static_cast<std::vector<T>*>(kept); });
  T* const data = made.release()->data();
  return {data, extents.size(), extents.data(), owner};
}

// The enumerator whose to_string() is `text`. Error(invalid_argument) naming `argument` and those
// there are.
template <typename Enum>
Enum named(const char* argument, const std::string& text, std::initializer_list<Enum> all) {
  std::string known;
  for (const Enum value : all) {
    if (text == to_string(value)) return value;
    known += std::string(known.empty() ? "" : ", ") + to_string(value);
  }
  throw Error(ErrorCode::invalid_argument,
              std::string(argument) + ": expected one of " + known + ", found \"" + text + "\"");
}

inline Precision read_precision(const std::string& text) {
  return named("precision", text, {Precision::f32, Precision::bf16, Precision::int8});
}

}  // namespace headway::python

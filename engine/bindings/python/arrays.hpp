// numpy arrays as the module takes them, and the library's names of things.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <string>

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

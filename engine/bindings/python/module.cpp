// The module headway._headway, and what becomes of the library's errors.
#include <nanobind/nanobind.h>

#include <exception>
#include <string_view>

#include "engine/bindings/python/parts.hpp"
#include "headway/error.hpp"
#include "headway/version.h"

namespace nb = nanobind;

namespace headway::python {
namespace {

// headway.Error, or headway.ArgumentError where the caller is at fault: made in Python, where the
// classes are.
void raise(const Error& error) {
  const bool argument = error.code() == ErrorCode::invalid_argument;
  const nb::object type =
      nb::module_::import_("headway._errors").attr(argument ? "ArgumentError" : "Error");
  const std::string_view message(error.what());
  // A message may quote bytes of a file that are no UTF-8.
  const auto text = nb::steal(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace"));
  const nb::tuple arguments = nb::make_tuple(text, to_string(error.code()));
  PyErr_SetObject(type.ptr(), arguments.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise(error);
  }
}

}  // namespace
}  // namespace headway::python

NB_MODULE(_headway, module) {
  using namespace headway::python;
  // A program that ends while objects live has done nothing wrong.
  nb::set_leak_warnings(false);
  nb::register_exception_translator(&translate);
  module.def("version", &headway::version);
  add_cancel_token(module);  // the others take it
  add_attention(module);
  add_classifier(module);
  add_embedder(module);
  add_masked_lm(module);
  add_multi_head(module);
  add_multi_vector_embedder(module);
  add_reranker(module);
  add_sparse_embedder(module);
  add_token_classifier(module);
  add_tokenizer(module);
}

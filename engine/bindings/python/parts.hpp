// The parts of the module. They take what the Python sources in headway/ have checked: lists, and
// numpy arrays of the right type and rank, in a layout that the library reads in place.
#pragma once

#include <nanobind/nanobind.h>

namespace headway::python {

void add_cancel_token(nanobind::module_& module);
void add_attention(nanobind::module_& module);
void add_classifier(nanobind::module_& module);
void add_embedder(nanobind::module_& module);
void add_masked_lm(nanobind::module_& module);
void add_multi_head(nanobind::module_& module);
void add_multi_vector_embedder(nanobind::module_& module);
void add_reranker(nanobind::module_& module);
void add_sparse_embedder(nanobind::module_& module);
void add_token_classifier(nanobind::module_& module);
void add_tokenizer(nanobind::module_& module);

}  // namespace headway::python

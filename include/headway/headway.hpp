// Headway: transformer layers on CPUs. This header includes the whole library, and this is its
// manual in five minutes.
//
// A model. Embedder opens a directory as sentence-transformers writes it and the Hugging Face hub
// holds it, and turns texts into vectors:
//
//     const auto embedder = headway::Embedder::open("models/all-MiniLM-L6-v2");
//     const headway::Embeddings vectors = embedder.embed(texts);  // float32 [texts, dim]
//
// open() takes a tenth of a second: weights are packed for the matrix products, and embedding
// tables stay in the mapped file, which may be removed or replaced by renaming but not written to.
// Texts are UTF-8 of any length; what is longer than the model's limit is cut, and counted in
// EmbedStats::truncated. Tokenizer is the tokenizer alone; heads.hpp shows what attention looks at.
// Other tasks have classes that open directories in the same way (text_model.hpp): Reranker,
// Classifier, TokenClassifier, MaskedLM, SparseEmbedder, MultiVectorEmbedder.
//
// A layer, or a graph of layers. Graph has inputs, layers (layers.hpp) and outputs; compile() makes
// an Engine of it, once; run() computes, as often as you like:
//
//     headway::Graph graph;
//     const headway::Value x = graph.input("x", headway::DType::f32, dim);
//     graph.output("y", multi_head(graph, x, weights, {.heads = 8}).output);
//     const headway::Engine engine = compile(graph);
//     engine.run({{"x", batch, x_data}}, {{"y", y_data}});
//
// A Batch is sequences of any lengths, their tokens packed in rows, without padding; a dense array
// [B, T, D] is one as it is. Views (TensorView) point into your memory, which must live as long as
// it is used: inputs and outputs for the call, weights for as long as graphs and engines with them.
//
// Attention as a function, on arrays [B, H, T, size] with strides: attention() in attention.hpp.
//
// Threads. Everything but Graph is immutable: use one Embedder, Engine or Tokenizer from any number
// of threads at once; copies are cheap and share everything. A call computes on its caller's thread
// and on as many more as are free, of one pool a process, at most Limits::threads for all calls of
// an engine together. Callers beyond that wait in order; RunOptions says not to wait
// (ErrorCode::busy), or how to stop a call (ErrorCode::cancelled). An object may go while others
// use its copies. A child of fork() can go on with what no other thread was using at that moment. A
// calling thread needs 256 KiB of stack.
//
// Results. The vector of a text, or the output of a sequence, never depends on what it is computed
// with, on threads or on the run: bit for bit, on one machine, build and precision.
//
// Memory. An engine takes Engine::info().packed_weights, once for all engines of a graph, and up to
// threads times the slab of its largest group: Engine::planned_memory() of 512 tokens for each
// thread, or of the longest sequence if that is more. Limits::memory caps the slabs, trim() gives
// back those that are idle, and info() has the peak. README.md has numbers.
//
// Errors. What fails throws headway::Error: code() for programs, and a message that names the file
// or the argument, what was expected and what was found. Nothing is printed, no signal handler is
// set, and the process is never ended.
//
// headway.h is the same for C, and README.md shows programs, servers and Python.
#pragma once

#include "headway/attention.hpp"
#include "headway/batch.hpp"
#include "headway/classifier.hpp"
#include "headway/embedder.hpp"
#include "headway/engine.hpp"
#include "headway/error.hpp"
#include "headway/graph.hpp"
#include "headway/heads.hpp"
#include "headway/layers.hpp"
#include "headway/masked_lm.hpp"
#include "headway/multi_vector_embedder.hpp"
#include "headway/reranker.hpp"
#include "headway/sparse_embedder.hpp"
#include "headway/tensor.hpp"
#include "headway/text_model.hpp"
#include "headway/token_classifier.hpp"
#include "headway/tokenizer.hpp"
#include "headway/version.h"
#include "headway/weights.hpp"

// Headway: transformer layers on CPUs. This header includes the whole library.
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
#include "headway/reranker.hpp"
#include "headway/sparse_embedder.hpp"
#include "headway/tensor.hpp"
#include "headway/text_model.hpp"
#include "headway/tokenizer.hpp"
#include "headway/version.h"
#include "headway/weights.hpp"

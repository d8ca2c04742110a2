// BertProcessing and RobertaProcessing.
#include "engine/text/post_processor.hpp"

namespace headway {
namespace {

TemplatePiece special(int32_t id, int8_t text, int32_t type_id = 0) {
  return {TemplatePiece::Kind::special, id, type_id, text, type_id};
}

}  // namespace

void PostProcessor::surround(int32_t before, int32_t after, PairForm form) {
  const bool roberta = form == PairForm::roberta;
  if (roberta)
    for (PostTemplate* pieces : {&single, &pair[0], &pair[1]})
      for (TemplatePiece& piece : *pieces) piece.type_id = piece.later_type_id = 0;
  for (PostTemplate* pieces : {&single, &pair[0]}) {
    pieces->insert(pieces->begin(), special(before, 0));
    pieces->push_back(special(after, 0));
  }
  if (roberta) pair[1].insert(pair[1].begin(), special(after, 1));
  pair[1].push_back(special(after, 1, roberta ? 0 : 1));
  at_start = {false, at_start[1] && !roberta};
}

}  // namespace headway

// What transformers' own tokenizer classes make of a directory (behaviour of transformers 5.24).
//
// These classes take the vocabulary out of tokenizer.json and make everything else anew; the class
// TokenizersBackend (PreTrainedTokenizerFast) takes the file as it is.
#pragma once

#include <string_view>

namespace headway {

struct TokenizerConfig;
struct TokenizerParts;

enum class TokenizerClass { of_the_file, albert, bert, camembert, mpnet, roberta, xlm_roberta };

// By the class's name ("BertTokenizer", also with "Fast"), or by the model's type when no file
// names one. Error(unsupported) that starts with `where` for a class that makes its tokenizer anew
// in a way that is not known here.
TokenizerClass find_tokenizer_class(std::string_view name, std::string_view model_type,
                                    std::string_view where);

// Adds the special tokens that the class has when the files name none.
void add_class_defaults(TokenizerConfig& config);

// Makes normalizers, pre-tokenizers, model options and post-processor as config.tokenizer_class
// does. Error(format) when the vocabulary in `parts` is of another kind or lacks a special token.
void rebuild(TokenizerParts& parts, const TokenizerConfig& config);

}  // namespace headway

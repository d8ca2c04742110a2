// What c11.c does, for the C++ test that calls it.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// 0, or the number of the step that went wrong.
int use_headway_from_c(const char* model_directory);

#ifdef __cplusplus
}
#endif

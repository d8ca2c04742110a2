// What the programs in C do, for the C++ test that calls them.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// 0, or the number of the step that went wrong.
int use_headway_from_c(const char* model_directory);
int use_tasks_from_c(const char* golden_directory);

#ifdef __cplusplus
}
#endif

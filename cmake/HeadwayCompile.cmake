# How Headway's own targets are compiled: one interface target that each of them links privately.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(HEADWAY_WERROR "Treat warnings as errors" OFF)
set(HEADWAY_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize= takes them")

add_library(headway_compile INTERFACE)
target_compile_features(headway_compile INTERFACE cxx_std_20)
# Results must not depend on what the compiler contracts: a fused multiply-add stands only where it is written.
target_compile_options(headway_compile INTERFACE -Wall -Wextra -ffp-contract=off
  $<$<BOOL:${HEADWAY_WERROR}>:-Werror>)
if(HEADWAY_SANITIZE)
  target_compile_options(headway_compile INTERFACE -fsanitize=${HEADWAY_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(headway_compile INTERFACE -fsanitize=${HEADWAY_SANITIZE})
endif()

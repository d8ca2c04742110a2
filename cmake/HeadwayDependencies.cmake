# Finds what the library links. Configuring downloads nothing; scripts/get_onednn.sh fills .deps/ where the
# distribution has no oneDNN 3.x.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
find_package(hwy 1.0.3 CONFIG REQUIRED)
# simdjson's version file accepts no other minor version than the one asked for (3.12 is refused for 3.0).
find_package(simdjson CONFIG REQUIRED)
if(simdjson_VERSION VERSION_LESS 3.0)
  message(FATAL_ERROR "Headway needs simdjson 3.0 or newer, found ${simdjson_VERSION}")
endif()

# oneDNN: dnnl_DIR (variable or environment), then .deps/, then the system's when it is 3.x.
if(NOT dnnl_DIR AND NOT DEFINED ENV{dnnl_DIR}
    AND EXISTS "${PROJECT_SOURCE_DIR}/.deps/onednn/lib/cmake/dnnl/dnnl-config.cmake")
  set(dnnl_DIR "${PROJECT_SOURCE_DIR}/.deps/onednn/lib/cmake/dnnl")
endif()
find_package(dnnl 3.2 CONFIG QUIET)
if(NOT dnnl_FOUND)
  set(found "")
  if(dnnl_CONSIDERED_VERSIONS)
    list(REMOVE_DUPLICATES dnnl_CONSIDERED_VERSIONS)
    set(found " Found, but of no use: ${dnnl_CONSIDERED_VERSIONS}.")
  endif()
  message(FATAL_ERROR "Headway needs oneDNN 3.2 or newer of the 3.x series (API v3).${found} Run scripts/get_onednn.sh, "
    "which puts it into .deps/, or set dnnl_DIR to the folder with dnnl-config.cmake.")
endif()
message(STATUS "oneDNN ${dnnl_VERSION}: ${dnnl_DIR}")

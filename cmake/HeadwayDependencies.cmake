# Finds what the library links: headway_dependencies. Configuring downloads nothing unless HEADWAY_FETCH_DEPS says so.
option(HEADWAY_FETCH_DEPS "Let configuring run scripts/get_onednn.sh, which downloads, when there is no oneDNN 3.x" OFF)

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
find_package(hwy 1.0.3 CONFIG REQUIRED)
# simdjson's version file accepts no other minor version than the one asked for (3.12 is refused for 3.0).
find_package(simdjson CONFIG REQUIRED)
if(simdjson_VERSION VERSION_LESS 3.0)
  message(FATAL_ERROR "Headway needs simdjson 3.0 or newer, found ${simdjson_VERSION}")
endif()

# oneDNN: dnnl_DIR (variable or environment), then .deps/, then the system's when it is 3.x.
macro(headway_find_onednn)
  if(NOT dnnl_DIR AND NOT DEFINED ENV{dnnl_DIR}
      AND EXISTS "${PROJECT_SOURCE_DIR}/.deps/onednn/lib/cmake/dnnl/dnnl-config.cmake")
    set(dnnl_DIR "${PROJECT_SOURCE_DIR}/.deps/onednn/lib/cmake/dnnl")
  endif()
  find_package(dnnl 3.2 CONFIG QUIET)
endmacro()

headway_find_onednn()
if(NOT dnnl_FOUND AND HEADWAY_FETCH_DEPS)
  execute_process(COMMAND "${PROJECT_SOURCE_DIR}/scripts/get_onednn.sh" COMMAND_ERROR_IS_FATAL ANY)
  headway_find_onednn()
endif()
if(NOT dnnl_FOUND)
  set(found "")
  if(dnnl_CONSIDERED_VERSIONS)
    list(REMOVE_DUPLICATES dnnl_CONSIDERED_VERSIONS)
    set(found " Found, but of no use: ${dnnl_CONSIDERED_VERSIONS}.")
  endif()
  message(FATAL_ERROR "Headway needs oneDNN 3.2 or newer of the 3.x series (API v3).${found} Run scripts/get_onednn.sh, "
    "which puts it into .deps/, or let configuring do so with -DHEADWAY_FETCH_DEPS=ON, or set dnnl_DIR to the folder "
    "with dnnl-config.cmake.")
endif()
message(STATUS "oneDNN ${dnnl_VERSION}: ${dnnl_DIR}")

# A static library's users link these too: OpenMP by the name of its library, since a compiler flag for it is none
# of their business, and oneDNN as headway-config.cmake finds it (headway::onednn).
list(GET OpenMP_CXX_LIB_NAMES 0 headway_openmp)
set(headway_dependencies Threads::Threads hwy::hwy simdjson::simdjson
  $<BUILD_INTERFACE:OpenMP::OpenMP_CXX> $<INSTALL_INTERFACE:${headway_openmp}>
  $<BUILD_INTERFACE:DNNL::dnnl> $<INSTALL_INTERFACE:headway::onednn>)

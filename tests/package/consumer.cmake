# cmake -P: installs Headway into an empty prefix, as TYPE (static, shared), then configures, builds and runs
# tests/consumer against it, and compiles it once more by pkg-config.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(model "${SOURCE}/models/all-MiniLM-L6-v2")
set(prefix "${WORK}/prefix")
file(REMOVE_RECURSE "${WORK}")
foreach(component headway headway_${TYPE})
  run("${CMAKE_COMMAND}" --install "${BUILD}" --component ${component} --prefix "${prefix}")
endforeach()

# The consumer must need nothing of the trees that Headway was made in, so what is under the prefix names none of them.
file(GLOB_RECURSE files "${prefix}/*.cmake" "${prefix}/*.pc" "${prefix}/*.hpp" "${prefix}/*.h")
foreach(file ${files})
  file(STRINGS "${file}" lines)
  foreach(folder "${SOURCE}" "${BUILD}")
    string(FIND "${lines}" "${folder}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()

run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/consumer" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
  "-DCMAKE_C_FLAGS=${FLAGS}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/consumer" "${model}")
run("${WORK}/build/consumer_c" WORKING_DIRECTORY "${SOURCE}")

# The same program as pkg-config says it is compiled.
set(ENV{PKG_CONFIG_PATH} "${prefix}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
execute_process(COMMAND pkg-config --cflags --libs headway OUTPUT_VARIABLE options COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(options UNIX_COMMAND "${options}")
run("${COMPILER}" -std=c++20 ${FLAGS} "${SOURCE}/tests/consumer/main.cpp" -o "${WORK}/by_pkg_config" ${options})
set(ENV{LD_LIBRARY_PATH} "${prefix}/lib")
run("${WORK}/by_pkg_config" "${model}")

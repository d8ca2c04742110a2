# cmake -P: builds tests/consumer with Headway's sources as a part of it, as FetchContent and add_subdirectory do, and
# checks that nothing comes with the library. It is built without optimization, in half a minute.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/consumer" -B "${WORK}" -G Ninja "-DFETCHCONTENT_SOURCE_DIR_HEADWAY=${SOURCE}"
  -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=-O0 -g0 ${FLAGS}"
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}" --target help OUTPUT_VARIABLE targets
  COMMAND_ERROR_IS_FATAL ANY)
foreach(absent test_ bench_ headway_cli example_ headway_static)
  if(targets MATCHES "\n${absent}")
    message(FATAL_ERROR "A program that includes Headway gets the target ${absent}...")
  endif()
endforeach()
run("${CMAKE_COMMAND}" --build "${WORK}")
run("${WORK}/consumer_c" WORKING_DIRECTORY "${SOURCE}")
run("${WORK}/consumer" "${SOURCE}/models/all-MiniLM-L6-v2")

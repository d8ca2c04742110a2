# cmake -P: configures a copy of the project that finds no oneDNN. It must be refused with the ways out, and run
# scripts/get_onednn.sh only when HEADWAY_FETCH_DEPS allows it.
cmake_minimum_required(VERSION 3.22)

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/source/scripts")
foreach(name CMakeLists.txt LICENSE cmake engine include)
  file(CREATE_LINK "${SOURCE}/${name}" "${WORK}/source/${name}" SYMBOLIC)
endforeach()
# In place of the script that downloads: one that says it was run, and fails.
file(WRITE "${WORK}/source/scripts/get_onednn.sh" "#!/bin/sh\necho asked to download\nexit 1\n")
file(CHMOD "${WORK}/source/scripts/get_onednn.sh" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

foreach(fetch OFF ON)
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${WORK}/source" -B "${WORK}/build_${fetch}" -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}" -DHEADWAY_BUILD_TESTS=OFF -DHEADWAY_BUILD_BENCHMARKS=OFF
      -DCMAKE_DISABLE_FIND_PACKAGE_dnnl=ON -DHEADWAY_FETCH_DEPS=${fetch}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(result EQUAL 0)
    message(FATAL_ERROR "Configured without oneDNN: ${output}")
  endif()
  if(fetch AND NOT output MATCHES "asked to download")
    message(FATAL_ERROR "HEADWAY_FETCH_DEPS=ON does not run the script: ${output}")
  endif()
  if(NOT fetch AND (output MATCHES "asked to download" OR NOT output MATCHES "-DHEADWAY_FETCH_DEPS=ON"))
    message(FATAL_ERROR "Expected a message that names HEADWAY_FETCH_DEPS, and no download: ${output}")
  endif()
endforeach()

# cmake -P: makes the Debian package, installs it into a folder as root, against a copy of the machine's package
# database so that its dependencies count and the machine stays as it is, uses it there, and removes it.
cmake_minimum_required(VERSION 3.22)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/installed" "${WORK}/empty/info" "${WORK}/empty/updates")
# Compressing oneDNN as a release would takes half a minute.
run("${CPACK}" --config "${BUILD}/CPackConfig.cmake" -B "${WORK}/deb" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
file(GLOB package "${WORK}/deb/*.deb")

execute_process(COMMAND dpkg-deb --field "${package}" Depends OUTPUT_VARIABLE depends COMMAND_ERROR_IS_FATAL ANY)
foreach(needed libc6 libgomp1 libhwy1 libsimdjson libstdc\\+\\+6)
  if(NOT depends MATCHES "(^| )${needed}")
    message(FATAL_ERROR "The package does not depend on ${needed}: ${depends}")
  endif()
endforeach()

# Without chroot, as there is no system in the folder. The package's only script runs ldconfig.
set(dpkg dpkg --instdir=${WORK}/installed --log=${WORK}/dpkg.log --no-triggers --force-script-chrootless)
# Control: where its dependencies are not installed, it is refused.
file(WRITE "${WORK}/empty/status" "")
file(WRITE "${WORK}/empty/available" "")
execute_process(COMMAND ${dpkg} --admindir=${WORK}/empty --install "${package}"
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
if(result EQUAL 0 OR NOT errors MATCHES "depends on libhwy1")
  message(FATAL_ERROR "dpkg installed the package without what it depends on: ${errors}")
endif()

file(REMOVE_RECURSE "${WORK}/installed")
file(MAKE_DIRECTORY "${WORK}/installed")
file(COPY /var/lib/dpkg DESTINATION "${WORK}")
list(APPEND dpkg --admindir=${WORK}/dpkg)
run(${dpkg} --install "${package}")
run("${WORK}/installed/usr/bin/headway" info)
run("${CMAKE_COMMAND}" -S "${SOURCE}/tests/consumer" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${WORK}/installed/usr" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
  "-DCMAKE_C_FLAGS=${FLAGS}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/consumer" "${SOURCE}/models/all-MiniLM-L6-v2")

run(${dpkg} --remove headway)
file(GLOB_RECURSE left LIST_DIRECTORIES false "${WORK}/installed/*")
if(left)
  message(FATAL_ERROR "Left behind by the package: ${left}")
endif()

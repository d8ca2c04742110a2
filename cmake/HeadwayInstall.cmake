# What `cmake --install` puts under the prefix: headers, the library with its CMake package and pkg-config file, the
# command, licences, and oneDNN in a folder of its own where it is not the system's.
include(CMakePackageConfigHelpers)
if(HEADWAY_BUNDLE_ONEDNN)
  headway_install_onednn(headway "${CMAKE_INSTALL_LIBDIR}/headway" "${CMAKE_INSTALL_DOCDIR}/onednn")
endif()

set(headway_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/headway")

# headway_install_library(TYPE [EXCLUDE_FROM_ALL]): component headway_static or headway_shared. Both have the same files
# but for the library, so one prefix holds one of them.
function(headway_install_library type)
  string(TOLOWER "headway_${type}" library)
  if(HEADWAY_BUNDLE_ONEDNN)
    set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN/headway")
  endif()
  install(TARGETS ${library} EXPORT ${library} COMPONENT ${library} ${ARGN}
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT ${library} NAMESPACE headway:: FILE ${library}-targets.cmake
    DESTINATION "${headway_package_folder}" COMPONENT ${library} ${ARGN})

  set(generated "${PROJECT_BINARY_DIR}/package/${library}")
  set(headway_type ${type})
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/headway-config.cmake.in"
    "${generated}/headway-config.cmake" INSTALL_DESTINATION "${headway_package_folder}"
    PATH_VARS CMAKE_INSTALL_LIBDIR)
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file("${generated}/headway-config-version.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${generated}/headway-config.cmake" "${generated}/headway-config-version.cmake"
    DESTINATION "${headway_package_folder}" COMPONENT ${library} ${ARGN})

  file(RELATIVE_PATH prefix_from_pc "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
  set(pc_requires "")
  set(pc_libraries "")
  if(type STREQUAL "STATIC")
    set(pc_requires "libhwy simdjson")
    set(pc_libraries " -ldnnl")
    if(HEADWAY_BUNDLE_ONEDNN)
      set(pc_libraries " -L\${libdir}/headway -l:libdnnl.so.3 -Wl,-rpath,\${libdir}/headway")
    endif()
    string(APPEND pc_libraries " -l${headway_openmp} -lpthread -lstdc++ -lm")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/headway.pc.in" "${generated}/headway.pc" @ONLY)
  install(FILES "${generated}/headway.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT ${library} ${ARGN})
endfunction()

headway_install_library(${headway_type})
if(HEADWAY_BUILD_TESTS)
  headway_install_library(${headway_other_type} EXCLUDE_FROM_ALL)
endif()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/headway" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT headway)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT headway)
if(HEADWAY_BUILD_CLI)
  if(HEADWAY_BUNDLE_ONEDNN)
    file(RELATIVE_PATH to_library "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    set_target_properties(headway_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}/headway")
  endif()
  install(TARGETS headway_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT headway)
endif()

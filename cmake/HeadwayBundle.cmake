# Installs oneDNN with Headway, in a private folder, where it is a shared library that the system does not have.
get_target_property(library DNNL::dnnl TYPE)
get_target_property(file DNNL::dnnl LOCATION)
get_filename_component(folder "${file}" DIRECTORY)
set(bundle OFF)
if(library STREQUAL "SHARED_LIBRARY" AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
  set(bundle ON)
endif()
option(HEADWAY_BUNDLE_ONEDNN "Install oneDNN in a private folder beside the library" ${bundle})
if(NOT HEADWAY_BUNDLE_ONEDNN)
  return()
endif()

# Its licences go with it. oneDNN's own build calls the folder dnnl.
get_filename_component(prefix "${folder}" DIRECTORY)
find_path(licences THIRD-PARTY-PROGRAMS PATHS "${prefix}/share/doc/onednn" "${prefix}/share/doc/dnnl" NO_CACHE
  NO_DEFAULT_PATH)
if(NOT licences)
  message(FATAL_ERROR "No licence files of oneDNN in ${prefix}/share/doc/onednn or dnnl to install with ${file}. "
    "Set HEADWAY_BUNDLE_ONEDNN=OFF if the machines that Headway will run on have a libdnnl.so.3 of their own.")
endif()
install(IMPORTED_RUNTIME_ARTIFACTS DNNL::dnnl
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/headway" COMPONENT headway)
install(FILES "${licences}/LICENSE" "${licences}/THIRD-PARTY-PROGRAMS"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}/onednn" COMPONENT headway)

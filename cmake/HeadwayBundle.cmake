# Whether oneDNN is installed with Headway, in a private folder (HEADWAY_BUNDLE_ONEDNN): where it is a shared library that
# the system does not have. headway_install_onednn(COMPONENT LIBRARY_FOLDER LICENCE_FOLDER) does so.
get_target_property(headway_onednn_type DNNL::dnnl TYPE)
get_target_property(headway_onednn_file DNNL::dnnl LOCATION)
get_filename_component(folder "${headway_onednn_file}" DIRECTORY)
set(bundle OFF)
if(headway_onednn_type STREQUAL "SHARED_LIBRARY" AND NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
  set(bundle ON)
endif()
option(HEADWAY_BUNDLE_ONEDNN "Install oneDNN in a private folder beside the library" ${bundle})
if(NOT HEADWAY_BUNDLE_ONEDNN)
  return()
endif()

# Its licences go with it. oneDNN's own build calls the folder dnnl.
get_filename_component(prefix "${folder}" DIRECTORY)
find_path(headway_onednn_licences THIRD-PARTY-PROGRAMS PATHS "${prefix}/share/doc/onednn" "${prefix}/share/doc/dnnl"
  NO_CACHE NO_DEFAULT_PATH)
if(NOT headway_onednn_licences)
  message(FATAL_ERROR "No licence files of oneDNN in ${prefix}/share/doc/onednn or dnnl to install with "
    "${headway_onednn_file}. Set HEADWAY_BUNDLE_ONEDNN=OFF if the machines that Headway will run on have a "
    "libdnnl.so.3 of their own.")
endif()

function(headway_install_onednn component library_folder licence_folder)
  # Under the name that programs ask for, without the links that other names are: a wheel would hold each as a copy.
  file(REAL_PATH "${headway_onednn_file}" file)
  install(FILES "${file}" DESTINATION "${library_folder}" RENAME libdnnl.so.3 COMPONENT ${component})
  install(FILES "${headway_onednn_licences}/LICENSE" "${headway_onednn_licences}/THIRD-PARTY-PROGRAMS"
    DESTINATION "${licence_folder}" COMPONENT ${component})
endfunction()

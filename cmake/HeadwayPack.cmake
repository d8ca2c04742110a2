# The Debian package that `cpack` makes: all that is installed, the library of the kind that BUILD_SHARED_LIBS chose.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME headway)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Transformer layers and embedding models on CPUs")
set(CPACK_PACKAGE_CONTACT "The Headway maintainers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)

# What the command and a shared library link. A oneDNN that comes along is no dependency; the folder is where
# dpkg-shlibdeps finds it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(HEADWAY_BUNDLE_ONEDNN)
  get_target_property(file DNNL::dnnl LOCATION)
  get_filename_component(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${file}" DIRECTORY)
endif()
if(NOT BUILD_SHARED_LIBS)
  # Programs with the static library link these themselves.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libhwy-dev, libsimdjson-dev")
  if(NOT HEADWAY_BUNDLE_ONEDNN)
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libdnnl-dev")
  endif()
endif()
include(CPack)

# What `cmake --install` and CPack take: the tool, the libraries for find_package(Colex) and pkg-config, their headers.
# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS colex)
install(TARGETS answer DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/colex)  # a program to judge
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(colex_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Colex)

# component(NAME TARGET NEEDED...): a component of the package: Colex::NAME, and targets that it needs.
function(component name target)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} ${ARGN} EXPORT Colex-${name} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT Colex-${name} NAMESPACE Colex:: DESTINATION ${colex_cmake_folder})
endfunction()

# pkg_config(NAME)
function(pkg_config name)
  file(RELATIVE_PATH up_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up_to_prefix ${up_to_prefix})
  configure_file(cmake/colex-${name}.pc.in colex-${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/colex-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(public algebra.hpp tensor.hpp layout_type.hpp)
component(algebra colex_gpu)
target_compile_features(colex_gpu INTERFACE cxx_std_20)
target_compile_options(colex_gpu INTERFACE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--expt-relaxed-constexpr>)
pkg_config(algebra)
component(suite colex_suite colex_ref colex_spec)
target_compile_features(colex_spec INTERFACE cxx_std_20)
if(TARGET colex_gemm)
  find_package(CUDAToolkit REQUIRED)
  component(gemm colex_gemm)
  pkg_config(gemm)
  list(APPEND public gemm.hpp colex_gemm.h)
endif()

# The headers are made when they are installed, so that they are those of the moment.
install(CODE "set(ROOT [[${PROJECT_SOURCE_DIR}]])\nset(OUTPUT [[${PROJECT_BINARY_DIR}/headers]])\nset(PUBLIC ${public})")
install(SCRIPT cmake/headers.cmake)
install(DIRECTORY ${PROJECT_BINARY_DIR}/headers/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(cmake/ColexConfig.cmake.in ColexConfig.cmake INSTALL_DESTINATION ${colex_cmake_folder}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ColexConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ColexConfig.cmake ${PROJECT_BINARY_DIR}/ColexConfigVersion.cmake
  DESTINATION ${colex_cmake_folder})

# `./run package`
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_SYSTEM_NAME linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_CONTACT "The authors of Colex")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "The CuTe layout algebra stated, proved and tested")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS librsvg2-bin)  # for pictures as PNG and PDF
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, libboost-dev")  # for the libraries; the tool needs none
include(CPack)

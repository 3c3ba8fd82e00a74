# find_package(Colex): the target Colex::Colex, the suite for layout types of one's own (tests/suite/judge/layout_type.hpp). It comes as
# sources and is compiled with the project that asks for it, so that no compiler or option has to match.
# SPDX-License-Identifier: Apache-2.0
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.74)

if(NOT TARGET Colex::Colex)
  get_filename_component(colex_sources "${CMAKE_CURRENT_LIST_DIR}/../../../include/colex" ABSOLUTE)
  file(GLOB colex_units ${colex_sources}/ref/*.cpp ${colex_sources}/spec/laws/*.cpp ${colex_sources}/tests/suite/arguments/*.cpp)
  add_library(colex_suite STATIC EXCLUDE_FROM_ALL ${colex_units})
  target_include_directories(colex_suite SYSTEM PUBLIC ${colex_sources})
  target_link_libraries(colex_suite PUBLIC Boost::headers)
  target_compile_features(colex_suite PUBLIC cxx_std_20)
  add_library(Colex::Colex ALIAS colex_suite)
endif()

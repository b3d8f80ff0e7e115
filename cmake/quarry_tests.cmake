# quarry_add_tests(name LABEL unit|stress|model SOURCES file... LIBRARIES target... [TIMEOUT seconds])
#
# Adds the GoogleTest program <name>; ctest knows each of its tests under the label.
function(quarry_add_tests name)
  cmake_parse_arguments(tests "" "LABEL;TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT tests_TIMEOUT)
    set(tests_TIMEOUT 120)
  endif()
  add_executable(${name} ${tests_SOURCES})
  quarry_set_up_target(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${tests_LIBRARIES} GTest::gtest_main)
  gtest_discover_tests(${name}
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${tests_LABEL} TIMEOUT ${tests_TIMEOUT})
endfunction()

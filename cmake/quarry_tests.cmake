# quarry_add_tests(name LABEL unit|stress|model SOURCES file... LIBRARIES target... [TIMEOUT seconds] [SERIAL])
#
# Adds the GoogleTest program <name>; ctest knows each of its tests under the label. SERIAL: its tests measure time, so
# nothing else runs beside them. The CI repeats every program whose name ends in _stress under the thread sanitizer.
function(quarry_add_tests name)
  cmake_parse_arguments(tests "SERIAL" "LABEL;TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT tests_TIMEOUT)
    set(tests_TIMEOUT 120)
  endif()
  add_executable(${name} ${tests_SOURCES})
  quarry_set_up_target(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${tests_LIBRARIES} GTest::gtest_main)
  gtest_discover_tests(${name}
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${tests_LABEL} TIMEOUT ${tests_TIMEOUT} RUN_SERIAL ${tests_SERIAL})
endfunction()

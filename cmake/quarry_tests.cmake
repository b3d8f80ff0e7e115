# GoogleTest's header is a third of the time that a test takes to compile, so it is compiled once, together with what
# nearly every test includes. A build without it (QUARRY_PRECOMPILE_TEST_HEADERS=OFF) finds tests that lean on it.
#
# Tests run once, so they are compiled with -O1 where the layers have -O3. Under a sanitizer they are compiled with -O0 and
# without line tables: with Clang in less than half of the time (9 s instead of 23 for six tests of jobs). A report then
# names the functions of a test, and the lines of the layers. Those that are OPTIMISED need headers compiled with the same
# flags as themselves.
function(quarry_add_test_headers)
  if(NOT QUARRY_PRECOMPILE_TEST_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT test_headers.cpp CONTENT "")
  foreach(name IN ITEMS quarry_test_headers quarry_optimised_test_headers)
    add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp)
    quarry_set_up_target(${name})
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <atomic> <chrono> <functional> <memory> <mutex> <optional> <stdexcept> <string> <thread> <vector>
      <gtest/gtest.h>)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    quarry_hide_checkout(${name})
  endforeach()
  quarry_optimise_little(quarry_test_headers)
endfunction()

# Tests name their file where something is unexpected, with the checkout's path where several are compiled together: ccache
# would not find them from another clone.
function(quarry_hide_checkout target)
  target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
endfunction()

function(quarry_optimise_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(QUARRY_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -g0)
  endif()
endfunction()

# quarry_add_tests(name LABEL unit|stress|model SOURCES file... LIBRARIES target... [TIMEOUT seconds] [SERIAL] [ALONE]
#                  [OPTIMISED] [ONE_THREAD])
#
# Adds the GoogleTest program <name>; ctest knows each of its tests under the label. SERIAL: its tests measure time, so
# nothing else runs beside them. ALONE: each of its sources is compiled by itself, because they use the same names for
# different things. OPTIMISED: what its sources instantiate is measured, searched for races, or runs for seconds.
# ONE_THREAD: its tests start no other, so the thread sanitizer has nothing to find there and does without it. The CI
# repeats every program whose name ends in _stress under the thread sanitizer.
function(quarry_add_tests name)
  cmake_parse_arguments(tests "SERIAL;ALONE;OPTIMISED;ONE_THREAD" "LABEL;TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  if(tests_ONE_THREAD AND QUARRY_SANITIZE MATCHES "thread")
    return()
  endif()
  if(NOT tests_TIMEOUT)
    set(tests_TIMEOUT 120)
  endif()
  add_executable(${name} ${tests_SOURCES})
  quarry_set_up_target(${name})
  quarry_hide_checkout(${name})
  set(headers quarry_optimised_test_headers)
  if(NOT tests_OPTIMISED)
    quarry_optimise_little(${name})
    set(headers quarry_test_headers)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${tests_LIBRARIES} GTest::gtest_main)
  if(CMAKE_UNITY_BUILD)
    # For clang-tidy: scripts/tidy gives each source a namespace of its own, so even these can be together.
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
  elseif(QUARRY_COMPILE_TESTS_TOGETHER AND NOT tests_ALONE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  elseif(tests_ALONE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(QUARRY_PRECOMPILE_TEST_HEADERS)
    target_precompile_headers(${name} REUSE_FROM ${headers})
  endif()
  gtest_discover_tests(${name}
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${tests_LABEL} TIMEOUT ${tests_TIMEOUT} RUN_SERIAL ${tests_SERIAL})
endfunction()

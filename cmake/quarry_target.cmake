# Fused multiply-add would give other bits on other processors.
add_compile_options(-ffp-contract=off)

if(QUARRY_SANITIZE)
  add_compile_options(-fsanitize=${QUARRY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${QUARRY_SANITIZE})
endif()

# How every target of this repository is compiled.
function(quarry_set_up_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${QUARRY_WARNINGS_AS_ERRORS}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns of overlapping copies inside std::string's operator+ (its bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(QUARRY_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The plain atomics policy, compiled but not used under the sanitizer, has a fence that the sanitizer cannot follow.
    target_compile_options(${target} PRIVATE -Wno-tsan)
  endif()
endfunction()

# quarry_compile_together(target): several sources at once, where QUARRY_COMPILE_TOGETHER is on: their headers are read
# once. Not for the job engine, where it would change what the compiler inlines on the hot paths.
function(quarry_compile_together target)
  if(QUARRY_COMPILE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  endif()
endfunction()

# The same for parts of the program, where QUARRY_COMPILE_PROGRAM_TOGETHER is on.
function(quarry_compile_program_together target)
  if(QUARRY_COMPILE_PROGRAM_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  endif()
endfunction()

# quarry_compile_together_under_sanitizers(layer): where nothing is measured the hot paths may be inlined in any way, too.
function(quarry_compile_together_under_sanitizers layer)
  if(NOT QUARRY_SANITIZE)
    return()
  endif()
  if(BUILD_SHARED_LIBS)
    quarry_compile_together(quarry_${layer}_objects)
  else()
    quarry_compile_together(quarry_${layer})
  endif()
endfunction()

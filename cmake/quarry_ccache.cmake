# Compilers run through ccache where that is installed, so that a compilation that was done before, in this checkout or in
# another, is not done again. CMAKE_CXX_COMPILER_LAUNCHER, given or in the environment, wins; empty, it turns ccache off.
#
# Precompiled headers need the sloppiness. Paths count from the checkout and the build folder is left out of the hash, so
# that another clone finds the same files.
if(quarry_top_level AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(QUARRY_CCACHE ccache)
  mark_as_advanced(QUARRY_CCACHE)
  if(QUARRY_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1
      ${QUARRY_CCACHE})
    message(STATUS "ccache: ${QUARRY_CCACHE}")
  endif()
endif()

# Clang writes the time of each header into a precompiled one, which then differs each time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

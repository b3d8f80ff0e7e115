# quarry_add_layer(name SOURCES file... [LAYERS name...] [PUBLIC target...] [PRIVATE target...])
#
# Adds the library quarry_<name>, known as quarry::<name>, static or shared as BUILD_SHARED_LIBS says. Tests that reach
# behind the public headers link quarry_<name>_testable: the same objects, but with their internal symbols in reach.
function(quarry_add_layer name)
  cmake_parse_arguments(layer "" "" "SOURCES;LAYERS;PUBLIC;PRIVATE" ${ARGN})
  set(target quarry_${name})
  if(BUILD_SHARED_LIBS)
    add_library(${target}_objects OBJECT ${layer_SOURCES})
    set_target_properties(${target}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
    add_library(${target} SHARED $<TARGET_OBJECTS:${target}_objects>)
    add_library(${target}_testable STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${target}_objects>)
    set(targets ${target}_objects ${target} ${target}_testable)
  else()
    add_library(${target} STATIC ${layer_SOURCES})
    add_library(${target}_testable ALIAS ${target})
    target_compile_definitions(${target} PUBLIC QUARRY_STATIC)
    # The C API is a shared library that holds them.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ${QUARRY_BUILD_C})
    set(targets ${target})
  endif()
  add_library(quarry::${name} ALIAS ${target})

  foreach(each IN LISTS targets)
    quarry_set_up_target(${each})
    target_include_directories(${each}
      PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
      PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${each} PUBLIC ${layer_PUBLIC} PRIVATE ${layer_PRIVATE})
    foreach(other IN LISTS layer_LAYERS)
      if(each MATCHES "_testable$")
        target_link_libraries(${each} PUBLIC quarry_${other}_testable)
      else()
        target_link_libraries(${each} PUBLIC quarry_${other})
      endif()
    endforeach()
  endforeach()

  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    # A layer finds the one it stands on beside itself, wherever both were installed.
    INSTALL_RPATH $ORIGIN
    VERSION ${PROJECT_VERSION}
    # Until 1.0 every minor version may change the binary interface.
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set_property(GLOBAL APPEND PROPERTY quarry_layers ${name})
endfunction()

# Installs the layers with a CMake package and one pkg-config file a layer. A static and a shared build may be installed
# into the same prefix: each brings its own files of targets, one a layer, and the package lets its user choose (see
# docs/decisions/0001-static-and-shared-libraries.md). The components libraries and program can be installed apart.
include(CMakePackageConfigHelpers)

if(BUILD_SHARED_LIBS)
  set(variant shared)
else()
  set(variant static)
endif()
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/quarry)

# The pkg-config files find their prefix from where they lie, so that an installed tree can be moved.
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE quarry_pc_libdir)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE quarry_pc_includedir)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(quarry_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${quarry_pc_libdir}/pkgconfig OUTPUT_VARIABLE to_prefix)
  set(quarry_pc_prefix "\${pcfiledir}/${to_prefix}")
  set(quarry_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(quarry_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# Not Requires.private: hwloc itself stays a shared library, so its own private libraries are not wanted.
set(quarry_pc_private "-pthread")
if(quarry_has_hwloc)
  list(JOIN hwloc_LDFLAGS " " hwloc_flags)
  string(PREPEND quarry_pc_private "${hwloc_flags} ")
endif()

list(JOIN hwy_LDFLAGS " " quarry_pc_hwy)
list(JOIN zstd_LDFLAGS " " quarry_pc_zstd)

get_property(layers GLOBAL PROPERTY quarry_layers)
foreach(layer IN LISTS layers)
  install(TARGETS quarry_${layer} EXPORT quarry_${layer}_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
  install(EXPORT quarry_${layer}_targets NAMESPACE quarry:: DESTINATION ${package_folder}
    FILE quarry-${variant}-${layer}-targets.cmake COMPONENT libraries)
  install(FILES ${PROJECT_SOURCE_DIR}/include/quarry/${layer}.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/quarry COMPONENT libraries OPTIONAL)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/quarry/${layer}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/quarry COMPONENT libraries FILES_MATCHING PATTERN "*.hpp")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/quarry-${layer}.pc.in quarry-${layer}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quarry-${layer}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT libraries)
endforeach()
if(TARGET quarry_c)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/quarry-c.pc.in quarry-c.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/quarry-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libraries)
endif()
install(FILES
  ${PROJECT_SOURCE_DIR}/include/quarry/export.hpp
  ${PROJECT_SOURCE_DIR}/include/quarry/quarry.hpp
  ${PROJECT_SOURCE_DIR}/include/quarry/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/quarry COMPONENT libraries)
if(TARGET quarry)
  install(TARGETS quarry RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/quarry-config.cmake.in quarry-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(quarry-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/quarry-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/quarry-config-version.cmake
  DESTINATION ${package_folder} COMPONENT libraries)

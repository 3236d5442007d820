# One installed library `stiction` for `find_package(stiction)`, its headers, MuJoCo's library beside it, the program.

set(private_libs ${CMAKE_INSTALL_LIBDIR}/stiction)  # libmujoco: ours, not the system's; found there by find_mujoco.cmake

# the rooms' objects as one shared library; whatever else a room links stays inside
file(WRITE ${PROJECT_BINARY_DIR}/library.cpp "// the library is made of its rooms; a target needs one source of its own\n")
add_library(stiction_library SHARED ${PROJECT_BINARY_DIR}/library.cpp)
set(rooms stiction_model stiction_scene stiction_reference stiction_launch stiction_backend stiction_api stiction_grasp)
if(STICTION_ONE_LIBRARY)
  list(APPEND rooms stiction_record stiction_cli)  # the program is no more than its main()
endif()
foreach(room ${rooms})
  if(NOT TARGET ${room})
    continue()  # without CUDA there is no stiction_launch
  endif()
  target_sources(stiction_library PRIVATE $<TARGET_OBJECTS:${room}>)
  get_target_property(links ${room} LINK_LIBRARIES)
  list(REMOVE_ITEM links ${rooms})
  target_link_libraries(stiction_library PRIVATE ${links})
endforeach()
set_target_properties(
  stiction_library
  PROPERTIES OUTPUT_NAME stiction
             EXPORT_NAME stiction
             LINKER_LANGUAGE CXX
             VERSION ${PROJECT_VERSION}
             SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(stiction_library INTERFACE cxx_std_20)
target_include_directories(stiction_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/stiction>)

install(TARGETS stiction_library EXPORT stiction LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/stiction)
install(DIRECTORY kernels DESTINATION ${headers} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc")
install(DIRECTORY host/model host/scene host/api host/grasp DESTINATION ${headers}/host
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc" PATTERN "mujoco_*" EXCLUDE)
install(FILES host/backend/step_problem.hpp DESTINATION ${headers}/host/backend) # of Simulator::visit_problems
get_target_property(mujoco_library stiction_mujoco IMPORTED_LOCATION)
get_filename_component(mujoco_folder ${mujoco_library} DIRECTORY)
file(GLOB mujoco_licences ${mujoco_folder}/../mujoco_core-*.dist-info/licenses/*)
install(FILES ${mujoco_library} DESTINATION ${private_libs})
install(FILES ${mujoco_licences} DESTINATION ${private_libs}/licences-mujoco)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET stiction)
  install(TARGETS stiction RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/stiction)
install(EXPORT stiction NAMESPACE stiction:: FILE stictionConfig.cmake DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stictionConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stictionConfigVersion.cmake DESTINATION ${package})

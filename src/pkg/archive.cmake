# Settings of cpack that depend on the kind of package: -G TGZ, ZIP or DEB.
if(CPACK_GENERATOR MATCHES "TGZ|ZIP")
    set(CPACK_PACKAGING_INSTALL_PREFIX /)
    set(CPACK_PACKAGE_FILE_NAME ${CPACK_ARCHIVE_FILE_NAME})
endif()

# Finds the packages whose libraries a Debian package needs. CPack itself starts two programs for each installed file,
# but only the program and the library of nncost are linked with other libraries.
find_program(SHLIBDEPS_EXECUTABLE dpkg-shlibdeps)
if(CPACK_GENERATOR STREQUAL "DEB" AND CPACK_DEBIAN_PACKAGE_SHLIBDEPS AND SHLIBDEPS_EXECUTABLE)
    list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 build)
    file(GLOB linked ${build}/nncost ${build}/src/libnncost*.so)
    file(WRITE ${build}/shlibdeps/debian/control "")
    execute_process(COMMAND ${SHLIBDEPS_EXECUTABLE} -O ${linked} WORKING_DIRECTORY ${build}/shlibdeps
                    OUTPUT_VARIABLE needed ERROR_VARIABLE said RESULT_VARIABLE failed)
    if(NOT failed EQUAL 0 OR NOT needed MATCHES "Depends=([^\n]+)")
        message(FATAL_ERROR "dpkg-shlibdeps: ${said}")
    endif()
    string(JOIN ", " CPACK_DEBIAN_PACKAGE_DEPENDS ${CMAKE_MATCH_1} ${CPACK_DEBIAN_PACKAGE_DEPENDS})
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
endif()

# Provides the target cjson from the system's cJSON: from its CMake package, or else from pkg-config. This build and the
# installed package of a static library use this file. NNCOST_CJSON_SOURCE is a folder with cJSON.c and cJSON.h, for
# systems without the library cJSON.
if(NNCOST_CJSON_SOURCE)
    file(COPY ${NNCOST_CJSON_SOURCE}/cJSON.h DESTINATION ${CMAKE_BINARY_DIR}/include/cjson)
    add_library(cjson STATIC ${NNCOST_CJSON_SOURCE}/cJSON.c)
    set_target_properties(cjson PROPERTIES POSITION_INDEPENDENT_CODE ON C_CLANG_TIDY "") # a shared library needs PIC
    target_include_directories(cjson SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/include)
endif()
if(NOT TARGET cjson)
    find_package(cJSON QUIET CONFIG)
endif()
if(NOT TARGET cjson)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(NNCOST_CJSON REQUIRED IMPORTED_TARGET libcjson)
    add_library(cjson INTERFACE IMPORTED)
    # Sources include <cjson/cJSON.h>, but some .pc files set the include folder to cjson itself.
    target_include_directories(cjson INTERFACE ${NNCOST_CJSON_INCLUDEDIR})
    target_link_libraries(cjson INTERFACE PkgConfig::NNCOST_CJSON)
endif()

# Installs the files of the Python module, and its library if it has its own. The target folder depends on the installed
# Python (Debian: /usr/lib/python3/dist-packages or /usr/local/lib/python3.X/dist-packages; a virtual environment:
# lib/python3.X/site-packages). Therefore the script asks a Python for a folder of modules below the prefix. If no
# Python has a folder there, the user must add the installed folder to PYTHONPATH.
set(folder lib/python3/dist-packages)
if("$ENV{DESTDIR}" STREQUAL "" AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    foreach(python ${CMAKE_INSTALL_PREFIX}/bin/python3 /usr/bin/python3 python3)
        execute_process(
            COMMAND ${python} -I -c "import os, site, sys; prefix = os.path.realpath(sys.argv[1]) + os.sep; \
print(next((place[len(prefix):] for place in site.getsitepackages() if place.startswith(prefix)), ''), end='')"
                    ${CMAKE_INSTALL_PREFIX}
            OUTPUT_VARIABLE found ERROR_QUIET)
        if(found)
            set(folder ${found})
            break()
        endif()
    endforeach()
    if(NOT found)
        message(STATUS "Python finds the module with PYTHONPATH=${CMAKE_INSTALL_PREFIX}/${folder}")
    endif()
endif()
file(INSTALL ${files} DESTINATION ${CMAKE_INSTALL_PREFIX}/${folder}/nncost)
if(library)
    file(INSTALL ${library} DESTINATION ${CMAKE_INSTALL_PREFIX}/${folder}/nncost/lib RENAME libnncost.so)
endif()

# Settings of cpack -G TGZ and ZIP that differ from cpack -G DEB.
if(CPACK_GENERATOR MATCHES "TGZ|ZIP")
    set(CPACK_PACKAGING_INSTALL_PREFIX /)
    set(CPACK_PACKAGE_FILE_NAME ${CPACK_ARCHIVE_FILE_NAME})
endif()

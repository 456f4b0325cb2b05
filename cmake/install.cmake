# install.cmake: headers, library, tool, its manual and completions, CMake package, pkg-config file.
# SPDX-License-Identifier: MIT

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tenon")

install(TARGETS tenon EXPORT tenon)
install(DIRECTORY include/tenon DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE NOTICE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT tenon NAMESPACE tenon:: FILE tenon-config.cmake DESTINATION "${package_dir}")

write_basic_package_version_file(tenon-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tenon-config-version.cmake" DESTINATION "${package_dir}")

if(TENON_TOOL)
    install(TARGETS tenon_cli)
    set(data "${CMAKE_INSTALL_DATADIR}")
    install(FILES share/tenon.1 DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES share/tenon.bash DESTINATION "${data}/bash-completion/completions" RENAME tenon)
    install(FILES share/_tenon DESTINATION "${data}/zsh/site-functions")
    install(FILES "${PROJECT_BINARY_DIR}/page/tenon.html" DESTINATION "${data}/tenon"
            RENAME page.html OPTIONAL)
    install(FILES share/tenon.fish DESTINATION "${data}/fish/vendor_completions.d")
    if(UNIX AND NOT APPLE)
        install(FILES share/tenon.thumbnailer DESTINATION "${data}/thumbnailers")
        install(FILES share/tenon-mime.xml DESTINATION "${data}/mime/packages" RENAME tenon.xml)
    endif()
endif()

# -- pkg-config
# Folders are given relative to the file itself, so that the installed tree can be moved.

function(pkgconfig_dir variable dir)
    if(NOT IS_ABSOLUTE "${dir}")
        set(dir "\${prefix}/${dir}")
    endif()
    set(${variable} "${dir}" PARENT_SCOPE)
endfunction()

set(pkgconfig_folder "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pkgconfig_to_prefix "${pkgconfig_folder}" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")
pkgconfig_dir(pkgconfig_libdir "${CMAKE_INSTALL_LIBDIR}")
pkgconfig_dir(pkgconfig_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(cmake/tenon.pc.in tenon.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tenon.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Toolchain file for Debian's clang, wasi-libc and libclang-rt-dev-wasm32.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# CMake must not find libraries and headers of the build machine.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/none)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig ON)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
# Optimises for size, because a browser downloads the program, and an estimate takes only a millisecond. Three features
# of WebAssembly 2.0 make the program smaller.
set(CMAKE_C_FLAGS_RELEASE "-Oz -DNDEBUG -flto -msign-ext -mbulk-memory -mnontrapping-fptoint")
# A reactor is a program that does not end; the page calls its functions. The stack has space for the large structs of a
# plan search. The compiler option -O0 in these flags prevents clang from running wasm-opt, even if wasm-opt is
# installed: the output of wasm-opt was smaller, but larger after compression by LZMA and PPMd. Two options make the
# compressed program smaller: fewer functions are inlined than usual for -Oz, and loops share their counters (no LSR).
# With the linker option -O0, the linker does not sort texts, so streams.js finds texts in the order of their use.
set(CMAKE_EXE_LINKER_FLAGS "-O0 -mexec-model=reactor -Wl,--strip-all,--gc-sections,-O0,--stack-first,-z,stack-size=4194304,-mllvm,-disable-lsr,-mllvm,-enable-merge-functions,-mllvm,-inline-threshold=-20")

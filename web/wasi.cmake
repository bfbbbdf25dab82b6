# Toolchain file: Debian's clang, wasi-libc and libclang-rt-dev-wasm32.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# Nothing of the machine that builds is of use, its libraries least.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/none)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig ON)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
# Small before fast: the page is fetched, a step takes a millisecond. Three features of WebAssembly 2.0 make the
# program smaller.
set(CMAKE_C_FLAGS_RELEASE "-Oz -DNDEBUG -flto -msign-ext -mbulk-memory -mnontrapping-fptoint")
# A reactor is called by the page and does not end; the stack is for structs as large as a plan search's. With -O0 clang
# does not run wasm-opt, even if it is installed: its output was smaller, but larger after LZMA and PPMd. Fewer functions
# are inlined than usual for -Oz. The linker does not sort texts (its own -O0), so that streams.js finds them in the order
# of their use.
set(CMAKE_EXE_LINKER_FLAGS "-O0 -mexec-model=reactor -Wl,--strip-all,--gc-sections,-O0,--stack-first,-z,stack-size=4194304,-mllvm,-enable-merge-functions,-mllvm,-inline-threshold=-20")

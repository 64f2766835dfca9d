// A library that claims to be an OpenBLAS built with OpenMP; a test loads it before the real one.
extern "C" int openblas_get_parallel();
extern "C" int openblas_get_parallel() { return 2; }

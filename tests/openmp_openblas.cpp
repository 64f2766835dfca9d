// An OpenBLAS that says it was built with OpenMP; loaded before the real one by a test.
extern "C" int openblas_get_parallel();
extern "C" int openblas_get_parallel() { return 2; }

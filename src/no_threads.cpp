// The solver of fleets can search on several threads, and is not asked to. Without a way to start one, the C library
// links no code for processes and networks into the static program (tests/package/hardening.cmake).
#include <pthread.h>

#include <cerrno>

extern "C" int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) { return EAGAIN; }

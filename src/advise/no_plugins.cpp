// GLPK reads models out of data bases through drivers that it loads while it runs. Nothing here asks for that, and a
// program linked statically cannot: its loader finds none.
extern "C" {

int lt_dlinit() { return 1; }
int lt_dlexit() { return 1; }
void* lt_dlopen(const char*) { return nullptr; }
void* lt_dlsym(void*, const char*) { return nullptr; }
int lt_dlclose(void*) { return 1; }
const char* lt_dlerror() { return "no plug-ins"; }
}

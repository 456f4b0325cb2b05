// import_none.c: reports that tenon-import is not available, where no program can be started.
// SPDX-License-Identifier: MIT

#include "import/import_run.h"

#include "report/report.h"

#ifdef _WIN32
#define SYSTEM "on Windows"
#else
#define SYSTEM "in WebAssembly"
#endif

bool import_find_program(char *path, size_t size)
{
    (void)path;
    (void)size;
    return false;
}

bool import_run(const cli_common *opts, const char *file, const import_format *format,
                const tenon_bytes *model, imported_model *result, tenon_error *err)
{
    (void)opts;
    (void)file;
    (void)model;
    *result = (imported_model){0};
    *err = report_make(TENON_ERR_IO, "%s needs tenon-import, which is not available " SYSTEM,
                       format->title);
    (void)snprintf(err->note, sizeof err->note,
                   "save the model as glTF (.glb) in the program that made it, or convert it with "
                   "Tenon on Linux or in WSL");
    return false;
}

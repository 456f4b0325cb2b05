// import_files.c: the files that Assimp may open: the model, and files that tenon sends.
// SPDX-License-Identifier: MIT

#include "import_files.h"

#include "import_pipe.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// An open file, in memory.
typedef struct memory_file {
    struct aiFile file;
    const unsigned char *data;
    size_t size, at;
    pipe_file sidecar;  // The bytes of a file beside the model.
} memory_file;

static memory_file *import_memory_file_of(struct aiFile *file)
{
    return (memory_file *)(void *)file->UserData;
}

// -- Operations of a file

static size_t import_files_read_items(struct aiFile *file, char *to, size_t size, size_t count)
{
    memory_file *opened = import_memory_file_of(file);
    size_t whole = size ? (opened->size - opened->at) / size : 0;
    if (count > whole) count = whole;
    memcpy(to, opened->data + opened->at, size * count);
    opened->at += size * count;
    return count;
}

static size_t import_files_write_nothing(struct aiFile *file, const char *from, size_t size,
                                         size_t count)
{
    (void)file, (void)from, (void)size, (void)count;
    return 0;
}

static size_t import_files_get_position(struct aiFile *file)
{
    return import_memory_file_of(file)->at;
}

static size_t import_file_size(struct aiFile *file)
{
    return import_memory_file_of(file)->size;
}

static enum aiReturn import_files_seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    memory_file *opened = import_memory_file_of(file);
    // Negative offsets arrive as large ones, and wrap.
    size_t from = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? opened->at : opened->size;
    size_t to = from + offset;
    if (to > opened->size) return aiReturn_FAILURE;
    opened->at = to;
    return aiReturn_SUCCESS;
}

static void import_files_flush(struct aiFile *file)
{
    (void)file;
}

// -- Opening

static struct aiFile *import_open_file(struct aiFileIO *io, const char *path, const char *mode)
{
    const import_files *files = (const import_files *)(const void *)io->UserData;
    memory_file *opened = strchr(mode, 'r') ? calloc(1, sizeof *opened) : NULL;
    if (!opened) return NULL;
    opened->data = files->data;
    opened->size = files->size;
    if (strcmp(path, files->name) != 0) {
        if (!pipe_read_file(path, &opened->sidecar)) {
            free(opened);
            return NULL;
        }
        opened->data = opened->sidecar.data;
        opened->size = opened->sidecar.size;
    }
    opened->file = (struct aiFile){.ReadProc = import_files_read_items,
                                   .WriteProc = import_files_write_nothing,
                                   .TellProc = import_files_get_position,
                                   .FileSizeProc = import_file_size,
                                   .SeekProc = import_files_seek,
                                   .FlushProc = import_files_flush,
                                   .UserData = (aiUserData)opened};
    return &opened->file;
}

static void import_close_file(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    memory_file *opened = import_memory_file_of(file);
    free(opened->sidecar.data);
    free(opened);
}

struct aiFileIO import_file_io(const import_files *files)
{
    return (struct aiFileIO){.OpenProc = import_open_file,
                             .CloseProc = import_close_file,
                             .UserData = (aiUserData)(uintptr_t)files};
}

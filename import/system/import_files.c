// import_files.c: the files that Assimp may open: the model, and those that tenon sends on request.
// SPDX-License-Identifier: MIT

#include "import_files.h"

#include "import_pipe.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// An open file.
typedef struct reader {
    struct aiFile file;
    const unsigned char *data;
    size_t size, at;
    pipe_file sidecar;  // Of a file beside the model.
} reader;

static reader *reader_of(struct aiFile *file)
{
    return (reader *)(void *)file->UserData;
}

// -- Operations of a file

static size_t read_items(struct aiFile *file, char *to, size_t size, size_t count)
{
    reader *r = reader_of(file);
    size_t whole = size ? (r->size - r->at) / size : 0;
    if (count > whole) count = whole;
    memcpy(to, r->data + r->at, size * count);
    r->at += size * count;
    return count;
}

static size_t write_nothing(struct aiFile *file, const char *from, size_t size, size_t count)
{
    (void)file, (void)from, (void)size, (void)count;
    return 0;
}

static size_t tell(struct aiFile *file)
{
    return reader_of(file)->at;
}

static size_t file_size(struct aiFile *file)
{
    return reader_of(file)->size;
}

static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    reader *r = reader_of(file);
    // Steps back come as sizes that wrap.
    size_t from = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? r->at : r->size;
    size_t to = from + offset;
    if (to > r->size) return aiReturn_FAILURE;
    r->at = to;
    return aiReturn_SUCCESS;
}

static void flush(struct aiFile *file)
{
    (void)file;
}

// -- Opening

static struct aiFile *open_file(struct aiFileIO *io, const char *path, const char *mode)
{
    const import_files *files = (const import_files *)(const void *)io->UserData;
    reader *r = strchr(mode, 'r') ? calloc(1, sizeof *r) : NULL;
    if (!r) return NULL;
    r->data = files->data;
    r->size = files->size;
    if (strcmp(path, files->name) != 0) {
        if (!pipe_read(path, &r->sidecar)) {
            free(r);
            return NULL;
        }
        r->data = r->sidecar.data;
        r->size = r->sidecar.size;
    }
    r->file = (struct aiFile){.ReadProc = read_items,
                              .WriteProc = write_nothing,
                              .TellProc = tell,
                              .FileSizeProc = file_size,
                              .SeekProc = seek,
                              .FlushProc = flush,
                              .UserData = (aiUserData)r};
    return &r->file;
}

static void close_file(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    reader *r = reader_of(file);
    free(r->sidecar.data);
    free(r);
}

struct aiFileIO import_file_io(const import_files *files)
{
    return (struct aiFileIO){
        .OpenProc = open_file, .CloseProc = close_file, .UserData = (aiUserData)(uintptr_t)files};
}

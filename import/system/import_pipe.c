// import_pipe.c: messages from and to tenon over standard input and output.
// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "import_pipe.h"

#include "../../cli/import/import_protocol.h"
#include "../scene/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void import_pipe_end_by_protocol_error(void)
{
    (void)fputs("tenon-import: tenon ended or does not follow the protocol\n", stderr);
    exit(EXIT_FAILURE);
}

static void import_pipe_read_bytes(void *to, size_t size)
{
    unsigned char *at = to;
    while (size > 0) {
        ssize_t got = read(STDIN_FILENO, at, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) import_pipe_end_by_protocol_error();
        at += got;
        size -= (size_t)got;
    }
}

static void import_pipe_write_bytes(const void *from, size_t size)
{
    const unsigned char *at = from;
    while (size > 0) {
        ssize_t put = write(STDOUT_FILENO, at, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) import_pipe_end_by_protocol_error();
        at += put;
        size -= (size_t)put;
    }
}

static void import_pipe_send_message(import_kind kind, const void *bytes, size_t size)
{
    uint8_t start[IMPORT_HEADER_SIZE + IMPORT_NAME_MOST];
    size_t first = size < IMPORT_NAME_MOST ? size : 0;  // Small messages are written at once.
    import_put_header(start, kind, size);
    if (first) memcpy(start + IMPORT_HEADER_SIZE, bytes, first);
    import_pipe_write_bytes(start, IMPORT_HEADER_SIZE + first);
    if (!first) import_pipe_write_bytes(bytes, size);
}

static import_header import_pipe_receive_header(void)
{
    uint8_t head[IMPORT_HEADER_SIZE];
    import_header header;
    import_pipe_read_bytes(head, sizeof head);
    if (!import_get_header(head, &header)) import_pipe_end_by_protocol_error();
    return header;
}

// The bytes of a message, with a NUL after them.
static pipe_file import_pipe_receive_bytes(uint64_t size)
{
    if (size > SIZE_MAX - 1) import_pipe_end_by_protocol_error();
    pipe_file file = {import_alloc(size + 1, 1), (size_t)size};
    import_pipe_read_bytes(file.data, file.size);
    return file;
}

void pipe_send_ready(const char *missing)
{
    size_t size = strlen(missing);
    import_pipe_send_message(IMPORT_READY, missing,
                             size < IMPORT_TEXT_MOST ? size : IMPORT_TEXT_MOST);
}

void pipe_receive_model(char **name, pipe_file *model)
{
    import_header header = import_pipe_receive_header();
    if (header.kind != IMPORT_NAME || header.size > IMPORT_NAME_MOST)
        import_pipe_end_by_protocol_error();
    *name = (char *)import_pipe_receive_bytes(header.size).data;
    header = import_pipe_receive_header();
    if (header.kind != IMPORT_MODEL) import_pipe_end_by_protocol_error();
    *model = import_pipe_receive_bytes(header.size);
}

// No file has a name that is too long for the protocol.
static bool import_pipe_request(import_kind kind, const char *name, pipe_file *file)
{
    size_t size = strlen(name);
    if (size > IMPORT_NAME_MOST) return false;
    import_pipe_send_message(kind, name, size);
    import_header header = import_pipe_receive_header();
    bool is_found = header.kind == IMPORT_FOUND;
    if (!is_found && header.kind != IMPORT_MISSING) import_pipe_end_by_protocol_error();
    *file = import_pipe_receive_bytes(header.size);
    if (!is_found) free(file->data);
    return is_found;
}

bool pipe_file_exists(const char *name)
{
    pipe_file nothing;
    bool is_found = import_pipe_request(IMPORT_LOOK, name, &nothing);
    if (is_found) free(nothing.data);
    return is_found;
}

bool pipe_read_file(const char *name, pipe_file *file)
{
    return import_pipe_request(IMPORT_READ, name, file);
}

void pipe_send_data(const void *bytes, size_t size)
{
    import_pipe_send_message(IMPORT_DATA, bytes, size);
}

void pipe_send_done(void)
{
    import_pipe_send_message(IMPORT_DONE, NULL, 0);
}

// trace.c: which files a job reads, looks for and writes, and what is in them.
// SPDX-License-Identifier: MIT

#include "batch/trace.h"

#include "input/paths.h"
#include "system/platform.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_SIZE 65536

static tenon_files inner, inner_outputs;  // What is called.
static _Thread_local trace *current;      // Of this thread; NULL: nothing is traced.

void trace_begin(trace *to)
{
    current = to;
}

void trace_end(void)
{
    current = NULL;
}

void trace_free(trace *files)
{
    for (uint32_t i = 0; i < files->input_count; i++) free(files->inputs[i].path);
    for (uint32_t i = 0; i < files->output_count; i++) free(files->outputs[i].path);
    free(files->inputs);
    free(files->outputs);
    free(files->open);
    *files = (trace){0};
}

// -- Adding

static trace_file *trace_add(trace_file **list, uint32_t *count, uint32_t *room, const char *path)
{
    if (*count == *room) {
        uint32_t more = *room ? 2 * *room : 1;
        trace_file *longer = realloc(*list, more * sizeof *longer);
        current->failed |= !longer;
        if (!longer) return NULL;
        *list = longer;
        *room = more;
    }
    char *copy = text_copy(path, strlen(path));
    current->failed |= !copy;
    if (!copy) return NULL;
    trace_file *added = &(*list)[(*count)++];
    *added = (trace_file){.path = copy};
    return added;
}

static trace_file *trace_find_input(const char *path)
{
    for (uint32_t i = 0; i < current->input_count; i++)
        if (strcmp(current->inputs[i].path, path) == 0) return &current->inputs[i];
    return NULL;
}

static trace_file *trace_add_input(const char *path)
{
    trace_file *found = trace_find_input(path);
    if (found) return found;
    return trace_add(&current->inputs, &current->input_count, &current->input_room, path);
}

static void trace_open_file(tenon_file file, uint32_t index, bool is_output)
{
    if (current->open_count == current->open_room) {
        uint32_t room = current->open_room ? 2 * current->open_room : 1;
        trace_open *longer = realloc(current->open, room * sizeof *longer);
        current->failed |= !longer;
        if (!longer) return;
        current->open = longer;
        current->open_room = room;
    }
    trace_open *opened = &current->open[current->open_count++];
    opened->file = file;
    opened->index = index;
    opened->is_output = is_output;
    hash_begin(&opened->state);
}

static trace_open *trace_find_open(tenon_file file)
{
    for (uint32_t i = current ? current->open_count : 0; i-- > 0;)
        if (current->open[i].file == file) return &current->open[i];
    return NULL;
}

// What was read or written is complete.
static void trace_close_file(tenon_file file)
{
    trace_open *opened = trace_find_open(file);
    if (!opened) return;
    trace_file *traced =
        opened->is_output ? &current->outputs[opened->index] : &current->inputs[opened->index];
    // Of a file that was read in part, the hash is computed later.
    uint64_t size = 0;
    bool is_whole = opened->is_output ||
                    (sscanf(traced->stamp, "%" SCNx64, &size) == 1 && size == opened->state.size);
    if (is_whole && !traced->hash[0]) hash_end(&opened->state, traced->hash);
    *opened = current->open[--current->open_count];
    if (current->open_count) return;
    free(current->open);
    current->open = NULL;
    current->open_room = 0;
}

// -- Operations

static void trace_opened(int error, const char *path, tenon_file file)
{
    if (!current) return;
    trace_file *input = trace_add_input(path);
    if (!input) return;
    if (error) {
        if (error == ENOENT && !input->hash[0]) (void)snprintf(input->hash, HASH_SIZE, "-");
        return;
    }
    if (input->hash[0] == '-' || input->hash[0] == '+') input->hash[0] = '\0';
    if (!input->stamp[0]) {
        (void)platform_stamp(path, input->stamp);
        input->is_recent = platform_is_recent(path);
    }
    trace_open_file(file, (uint32_t)(input - current->inputs), false);
}

static int trace_call_open(void *user, const char *path, tenon_file *file)
{
    int error = inner.open(user, path, file);
    trace_opened(error, path, error ? 0 : *file);
    return error;
}

static int trace_call_open_inside(void *user, const char *folder, const char *path,
                                  tenon_file *file)
{
    int error = inner.open_inside(user, folder, path, file);
    trace_opened(error, path, error ? 0 : *file);
    return error;
}

static int trace_call_look(void *user, const char *path, tenon_file_info *info)
{
    int error = inner.look(user, path, info);
    trace_file *input = current ? trace_add_input(path) : NULL;
    if (input && !input->hash[0]) {
        bool is_known = error == ENOENT || (!error && info->kind == TENON_FILE_REGULAR);
        (void)snprintf(input->hash, HASH_SIZE, "%s", error == ENOENT ? "-" : is_known ? "+" : "?");
    }
    return error;
}

static int trace_call_read(void *user, tenon_file file, void *dst, size_t size, size_t *got)
{
    int error = inner.read(user, file, dst, size, got);
    trace_open *opened = trace_find_open(file);
    if (opened && !error) hash_add(&opened->state, dst, *got);
    return error;
}

static int trace_call_map(void *user, tenon_file file, size_t size, const void **memory)
{
    int error = inner.map(user, file, size, memory);
    trace_open *opened = trace_find_open(file);
    if (opened && !error) hash_add(&opened->state, *memory, size);
    return error;
}

static int trace_call_close(void *user, tenon_file file)
{
    if (current) trace_close_file(file);
    return inner.close(user, file);
}

static uint64_t trace_hash_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    // The only sidecars that are found by listing a folder.
    if (!dot || (strcmp(dot, ".bbanim") != 0 && strcmp(dot, ".BBANIM") != 0)) return 0;
    uint64_t hash = text_hash(name);
    return hash ^ hash >> 29;
}

// Entries come in any order.
static bool trace_count_name(void *user, const char *name)
{
    *(uint64_t *)user += trace_hash_name(name);
    return true;
}

bool trace_hash_folder(const char *path, char hash[HASH_SIZE])
{
    uint64_t sum = 0;
    int error = platform_list(path, trace_count_name, &sum);
    (void)snprintf(hash, HASH_SIZE, "*%016" PRIx64, sum);
    return error == 0;
}

static int trace_call_list(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    trace_file *input = current ? trace_add_input(folder) : NULL;
    if (input) (void)trace_hash_folder(folder, input->hash);
    return inner.list(user, folder, take, take_user);
}

static int trace_call_create(void *user, const char *path, tenon_file *file)
{
    int error = inner_outputs.create(user, path, file);
    trace_file *output = current && !error ? trace_add(&current->outputs, &current->output_count,
                                                       &current->output_room, path)
                                           : NULL;
    if (output) trace_open_file(*file, (uint32_t)(output - current->outputs), true);
    return error;
}

static int trace_call_write(void *user, tenon_file file, const void *src, size_t size, size_t *put)
{
    int error = inner_outputs.write(user, file, src, size, put);
    trace_open *opened = trace_find_open(file);
    if (opened && !error) hash_add(&opened->state, src, *put);
    return error;
}

static int trace_call_sync(void *user, tenon_file file)
{
    if (current) trace_close_file(file);
    return inner_outputs.sync(user, file);
}

const tenon_files *trace_wrap(const tenon_files *files)
{
    static tenon_files wrapped;
    wrapped = inner = *files;
    wrapped.open = trace_call_open;
    if (inner.open_inside) wrapped.open_inside = trace_call_open_inside;
    wrapped.look = trace_call_look;
    wrapped.read = trace_call_read;
    wrapped.map = trace_call_map;
    wrapped.close = trace_call_close;
    if (inner.list) wrapped.list = trace_call_list;
    return &wrapped;
}

const tenon_files *trace_wrap_outputs(const tenon_files *files)
{
    static tenon_files wrapped;
    wrapped = inner_outputs = *files;
    wrapped.create = trace_call_create;
    wrapped.write = trace_call_write;
    wrapped.sync = trace_call_sync;
    return &wrapped;
}

// -- Files as they are now

bool trace_hash_file(const char *path, char hash[HASH_SIZE])
{
    const tenon_files *files = tenon_system_files();
    tenon_file file;
    tenon_file_info info;
    hash_state state;
    uint8_t *piece = malloc(PIECE_SIZE);
    if (!piece || files->open(files->user, path, &file) != 0) {
        free(piece);
        return false;
    }
    hash_begin(&state);
    bool ok = files->stat(files->user, file, &info) == 0 && info.kind == TENON_FILE_REGULAR;
    for (size_t got = 1; ok && got > 0;) {
        int error = files->read(files->user, file, piece, PIECE_SIZE, &got);
        if (error == EINTR) continue;
        ok = error == 0;
        if (ok) hash_add(&state, piece, got);
    }
    (void)files->close(files->user, file);
    free(piece);
    if (ok) hash_end(&state, hash);
    return ok;
}

// file_read.c: read whole files and streams, and find the files that a model names.
// SPDX-License-Identifier: MIT

#include "core/files/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory/arena.h"
#include "core/memory/budget.h"
#include "core/text/error.h"
#include "core/text/text.h"

#define STREAM_LIMIT ((uint64_t)1 << 30)
#define STREAM_FIRST ((uint64_t)1 << 16)
#define CHUNK_MOST   ((size_t)8 << 20)  // Bytes between two calls of the progress callback.
#define SHOWN_SIZE   144                // Leaves room for the rest of a message.

// -- Shared by the file layer

// A name as messages show it. Of a long name the end is shown, which says more than its start.
static void file_read_show(const char *name, char out[SHOWN_SIZE])
{
    size_t size = strlen(name);
    size_t dots = 0;
    if (size >= SHOWN_SIZE) {
        dots = 3;
        memcpy(out, "...", dots);
        name += size - (SHOWN_SIZE - 1 - dots);
        while (((uint8_t)*name & 0xC0) == 0x80) name++;
    }
    tn_text_clean(name, strlen(name), out + dots, SHOWN_SIZE - dots);
}

bool tn_file_error(tenon_error *err, tenon_code code, int system, const char *verb,
                   const char *name, const char *reason)
{
    char shown[SHOWN_SIZE];
    file_read_show(name, shown);
    if (!reason) reason = strerror(system);
    if (verb)
        tn_error(err, code, "cannot %s '%s': %s", verb, shown, reason);
    else
        tn_error(err, code, "'%s' %s", shown, reason);
    if (err) err->system = system;
    return false;
}

bool tn_is_outage(const tenon_error *err)
{
    if (err->code != TENON_ERR_IO) return err->code == TENON_ERR_MEMORY;
    int system = err->system;
    bool is_odd = system == EISDIR || system == EINVAL;  // A folder, a pipe, a device.
    is_odd |= system == ENAMETOOLONG || system == ELOOP || system == EILSEQ;  // An odd name.
    return system && !is_odd && system != ENOENT && system != ENOTDIR;
}

size_t tn_path_folder_size(const char *path)
{
    size_t size = strlen(path);
    while (size > 0 && path[size - 1] != '/') {
#ifdef _WIN32
        if (path[size - 1] == '\\' || path[size - 1] == ':') break;
#endif
        size--;
    }
    return size;
}

tenon_str tn_path_stem(const char *path)
{
    const char *name = path + tn_path_folder_size(path), *dot = strrchr(name, '.');
    size_t size = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    return (tenon_str){name, (uint32_t)size};
}

bool tn_path_is_inside(const char *folder, const char *path)
{
    size_t size = strlen(folder);
    if (strncmp(folder, path, size) != 0) return false;
    bool is_root = size > 0 && folder[size - 1] == '/';
    return is_root || path[size] == '/' || path[size] == '\0';
}

static char file_read_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool tn_name_is_device(const char *name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
    size_t size = strcspn(name, ".");
    while (size > 0 && name[size - 1] == ' ') size--;
    char word[8] = {0};
    if (size < 3 || size >= sizeof word) return false;
    for (size_t i = 0; i < size; i++) word[i] = file_read_lower(name[i]);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (strcmp(word, devices[i]) == 0) return true;
    bool is_port = memcmp(word, "com", 3) == 0 || memcmp(word, "lpt", 3) == 0;
    if (is_port && size == 4) return word[3] >= '0' && word[3] <= '9';
    static const char *const raised[] = {"\xc2\xb9", "\xc2\xb2", "\xc2\xb3"};  // 1, 2 and 3.
    for (int i = 0; is_port && i < 3; i++)
        if (strcmp(word + 3, raised[i]) == 0) return true;
    return false;
}

bool tn_file_known(tenon_file_id id)
{
    return id.device != 0 || id.inode != 0;
}

bool tn_file_same(tenon_file_id a, tenon_file_id b)
{
    return tn_file_known(a) && a.device == b.device && a.inode == b.inode;
}

bool tenon_file_identify(const tenon_files *files, const char *path, tenon_file_id *id)
{
    if (!files) files = tenon_system_files();
    tenon_file_info info;
    if (files->look(files->user, path, &info) != 0) return false;
    *id = info.id;
    return tn_file_known(info.id);
}

// -- Loading

typedef struct loading {
    tenon_bytes *bytes;
    const tenon_files *files;
    tenon_events events;
    const char *name;
    const char *beside;  // The model in whose folder the file must be; NULL: anywhere.
    tenon_file file;
    uint64_t total;  // For `progress`.
    uint64_t limit;  // Bytes it may hold.
    tenon_error *err;
} loading;

// `max_stream` stays below UINT64_MAX, so that one byte more can be asked for.
static loading file_read_begin(const char *name, const tenon_read_opts *opts, tenon_bytes *bytes,
                               tenon_error *err)
{
    static const tenon_read_opts defaults = {0};
    if (!opts) opts = &defaults;
    const tenon_files *files = opts->files ? opts->files : tenon_system_files();
    *bytes = (tenon_bytes){.allocator = opts->allocator, .files = files};
    uint64_t limit = opts->max_stream ? opts->max_stream : STREAM_LIMIT;
    return (loading){
        .bytes = bytes,
        .files = files,
        .events = opts->events,
        .name = name,
        .beside = opts->beside,
        .total = TENON_ABSENT,
        .limit = limit < UINT64_MAX ? limit : UINT64_MAX - 1,
        .err = err,
    };
}

static bool file_read_cannot(const loading *load, const char *verb, int system)
{
    return tn_file_error(load->err, TENON_ERR_IO, system, verb, load->name, NULL);
}

static bool file_read_refuse(const loading *load, int system, const char *reason)
{
    return tn_file_error(load->err, TENON_ERR_IO, system, NULL, load->name, reason);
}

static bool file_read_over_limit(const loading *load)
{
    char reason[64];
    (void)snprintf(reason, sizeof reason, "holds more than %" PRIu64 " bytes", load->limit);
    return tn_file_error(load->err, TENON_ERR_LIMIT, 0, NULL, load->name, reason);
}

// Make room for `want` bytes, or for the limit and one more byte that shows whether there is more.
static bool file_read_grow(loading *load, uint64_t want)
{
    tenon_bytes *bytes = load->bytes;
    if (want > load->limit + 1) want = load->limit + 1;
    size_t size = want <= SIZE_MAX ? (size_t)want : 0;
    void *block = size ? tn_block_alloc(&bytes->allocator, size) : NULL;
    if (!block)
        return tn_file_error(load->err, TENON_ERR_MEMORY, 0, "read", load->name, "out of memory");
    if (bytes->size > 0) memcpy(block, bytes->block, bytes->size);
    tn_block_free(&bytes->allocator, bytes->block, bytes->block_size);
    bytes->block = block;
    bytes->block_size = size;
    bytes->data = block;
    return true;
}

// The next bytes, or none at the end. A signal that interrupts the wait is an opportunity to
// cancel.
static bool file_read_some(loading *load, size_t *got)
{
    tenon_bytes *bytes = load->bytes;
    size_t size = bytes->block_size - bytes->size;
    if (size > CHUNK_MOST) size = CHUNK_MOST;
    int error;
    do {
        const tenon_events *events = &load->events;
        if (events->on_progress && !events->on_progress(events->user, bytes->size, load->total))
            return tn_file_error(load->err, TENON_ERR_CANCELLED, 0, "read", load->name,
                                 "cancelled");
        error = load->files->read(load->files->user, load->file,
                                  (uint8_t *)bytes->block + bytes->size, size, got);
    } while (error == EINTR);
    return error == 0 || file_read_cannot(load, "read", error);
}

// Read until there is no more. The reported size is a hint: files grow and shrink, and those
// under /proc have size 0.
static bool file_read_all(loading *load, uint64_t expected)
{
    tenon_bytes *bytes = load->bytes;
    if (!file_read_grow(load, expected)) return false;
    for (size_t got = 1; got != 0;) {
        if (bytes->size == bytes->block_size &&
            !file_read_grow(load, 2 * (uint64_t)bytes->block_size))
            return false;
        if (!file_read_some(load, &got)) return false;
        bytes->size += got;
        if (bytes->size > load->limit) return file_read_over_limit(load);
    }
    return true;
}

// Whether the whole file could be mapped. Where that is impossible, it can still be read.
static bool file_read_map_all(loading *load, uint64_t size)
{
    if (size == 0 || size > SIZE_MAX) return false;
    const void *memory;
    if (load->files->map(load->files->user, load->file, (size_t)size, &memory) != 0) return false;
    load->bytes->data = memory;
    load->bytes->size = (size_t)size;
    load->bytes->mapped = true;
    return true;
}

static bool file_read_take(loading *load, const tenon_file_info *info, bool map)
{
    load->bytes->id = info->id;
    if (info->kind != TENON_FILE_REGULAR) return file_read_all(load, STREAM_FIRST);
    if (map && file_read_map_all(load, info->size)) return true;
    load->total = info->size;
    if (info->size > load->limit && info->size < UINT64_MAX) load->limit = info->size;
    return file_read_all(load, info->size < UINT64_MAX ? info->size + 1 : UINT64_MAX);
}

// Whether the path names an open file by its number, as a shell does for `<(command)`.
static bool file_read_is_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t size = strlen(folders[i]);
        if (strncmp(path, folders[i], size) != 0) continue;
        return path[size + strspn(path + size, "0123456789")] == '\0';
    }
    return strcmp(path, "/dev/stdin") == 0;
}

static bool file_read_refuse_pipe(const loading *load)
{
    file_read_refuse(load, EINVAL, "is a named pipe");
    if (load->err)
        (void)snprintf(load->err->note, sizeof load->err->note,
                       "pipes are read from standard input and under /dev/fd");
    return false;
}

static bool file_read_admit(const loading *load, const tenon_file_info *info, bool pipes)
{
    switch (info->kind) {
    case TENON_FILE_REGULAR:
        return true;
    case TENON_FILE_FOLDER:
        return file_read_refuse(load, EISDIR, "is a folder");
    case TENON_FILE_PIPE:
        return pipes || file_read_refuse_pipe(load);
    case TENON_FILE_DEVICE:
    case TENON_FILE_DISK:
        break;
    }
    return file_read_refuse(load, EINVAL, "is a device");
}

// Open the file, with `beside` only if it is in that model's folder, even if a link is put there at
// this moment.
static int read_open_file(loading *load)
{
    const tenon_files *files = load->files;
    char folder[TN_PATH_SIZE] = ".";
    size_t size = load->beside ? tn_path_folder_size(load->beside) : 0;
    if (!load->beside || !files->open_inside)
        return files->open(files->user, load->name, &load->file);
    if (size >= sizeof folder) return ENAMETOOLONG;
    if (size > 0) memcpy(folder, load->beside, size);
    return files->open_inside(files->user, folder, load->name, &load->file);
}

// Refused files are not even opened, since that can rewind a tape or wake the writer of a pipe.
// After opening, the kind is checked again, since the file may have been replaced.
static bool file_read_open_admitted(loading *load, tenon_file_info *info)
{
    const tenon_files *files = load->files;
    bool pipes = file_read_is_descriptor(load->name);
    int error = files->look(files->user, load->name, info);
    if (error) return file_read_cannot(load, "open", error);
    if (!file_read_admit(load, info, pipes)) return false;
    error = read_open_file(load);
    if (error == EXDEV)
        return tn_file_error(load->err, TENON_ERR_VALUE, 0, NULL, load->name,
                             "is outside the model's folder");
    if (error) return file_read_cannot(load, "open", error);
    error = files->stat(files->user, load->file, info);
    if (error == 0 && file_read_admit(load, info, pipes)) return true;
    if (error) file_read_cannot(load, "open", error);
    (void)files->close(files->user, load->file);
    return false;
}

bool tenon_load(const char *path, const tenon_read_opts *opts, tenon_bytes *bytes, tenon_error *err)
{
    loading load = file_read_begin(path, opts, bytes, err);
    tenon_file_info info;
    if (!file_read_open_admitted(&load, &info)) return false;
    bool ok = file_read_take(&load, &info, opts && opts->map);
    (void)load.files->close(load.files->user, load.file);
    ok = tn_budget_settle(bytes->allocator.budget, ok, err);
    if (!ok) tenon_unload(bytes);
    return ok;
}

bool tenon_load_stream(tenon_file file, const char *name, const tenon_read_opts *opts,
                       tenon_bytes *bytes, tenon_error *err)
{
    loading load = file_read_begin(name, opts, bytes, err);
    load.file = file;
    tenon_file_info info;
    int error = load.files->stat(load.files->user, file, &info);
    if (error) return file_read_cannot(&load, "read", error);
    if (info.kind == TENON_FILE_FOLDER) return file_read_admit(&load, &info, true);
    bool ok = tn_budget_settle(bytes->allocator.budget, file_read_take(&load, &info, false), err);
    if (!ok) tenon_unload(bytes);
    return ok;
}

void tenon_unload(tenon_bytes *bytes)
{
    if (!bytes) return;
    if (bytes->mapped) bytes->files->unmap(bytes->files->user, bytes->data, bytes->size);
    tn_block_free(&bytes->allocator, bytes->block, bytes->block_size);
    *bytes = (tenon_bytes){0};
}

// -- Files that a model names

static bool file_read_is_slash(char c)
{
    return c == '/' || c == '\\';
}

static bool file_read_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Whether the name as a whole is valid: relative and printable.
static bool file_read_is_tame(tenon_str name)
{
    if (name.size == 0 || file_read_is_slash(name.data[0])) return false;
    if (name.size >= 2 && name.data[1] == ':' && file_read_is_letter(name.data[0])) return false;
    for (uint32_t i = 0; i < name.size; i++) {
        uint8_t c = (uint8_t)name.data[i];
        if (c < 0x20 || c == 0x7F) return false;
    }
    return true;
}

// Whether a part of a name leads upwards. Windows drops dots and spaces from the end of each part,
// so that "..." and ".. " may be ".." there.
static bool file_read_is_upward(const char *part, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (part[i] != '.' && part[i] != ' ') return false;
    }
    return true;
}

static bool file_read_append(char *out, size_t out_size, const char *text, size_t size)
{
    size_t used = strlen(out);
    if (size >= out_size - used) return false;
    memcpy(out + used, text, size);
    out[used + size] = '\0';
    return true;
}

// Append the parts of the name to `out`. False if one leads upwards or there is none.
static bool file_read_append_name(char *out, size_t out_size, tenon_str name)
{
    bool any = false;
    size_t size;
    for (size_t at = 0; at < name.size; at += size + 1) {
        const char *part = name.data + at;
        for (size = 0; at + size < name.size && !file_read_is_slash(part[size]); size++) {
        }
        if (size == 0 || (size == 1 && part[0] == '.')) continue;
        if (file_read_is_upward(part, size)) return false;
        if (any && !file_read_append(out, out_size, "/", 1)) return false;
        if (!file_read_append(out, out_size, part, size)) return false;
        any = true;
    }
    return any;
}

bool tn_name_stays_inside(tenon_str name)
{
    char path[TN_PATH_SIZE] = "";
    return file_read_is_tame(name) && file_read_append_name(path, sizeof path, name);
}

// The first `size` bytes of `path` with all links resolved.
static int file_read_resolve_start(const tenon_files *files, char *path, size_t size, char *out)
{
    char kept = path[size];
    path[size] = '\0';
    int error = files->resolve(files->user, path, out, TN_PATH_SIZE);
    path[size] = kept;
    return error;
}

// Whether no link in the path leads out of the folder named by the first `floor` bytes of `path`.
// For a path that does not exist, the part that exists is checked. Returns the system's error, or
// 0.
static int file_read_find_out(const tenon_files *files, char *path, size_t floor,
                              bool *stays_inside)
{
    char folder[TN_PATH_SIZE], real[TN_PATH_SIZE];
    int error = file_read_resolve_start(files, path, floor, folder);
    *stays_inside = error == ENOSYS || error == ENOENT;  // No links; or nothing to open.
    if (error) return *stays_inside ? 0 : error;
    for (size_t end = strlen(path); end > floor; end--) {
        if (path[end] != '/' && path[end] != '\0') continue;
        error = file_read_resolve_start(files, path, end, real);
        *stays_inside = error == 0 && tn_path_is_inside(folder, real);
        if (error != ENOENT && error != ENOTDIR) return error;
    }
    *stays_inside = true;
    return 0;
}

// Returns 0, or the system's error.
static int file_read_find_beside(const tenon_files *files, const char *model_path, tenon_str name,
                                 char *out, size_t out_size, bool *is_beside)
{
    int error = 0;
    *is_beside = false;
    if (out_size == 0) return 0;
    out[0] = '\0';
    // The folder of an open file's number has only other such numbers.
    if (file_read_is_descriptor(model_path) || !file_read_is_tame(name)) return 0;
    size_t floor = tn_path_folder_size(model_path);
    bool ok = floor ? file_read_append(out, out_size, model_path, floor)
                    : file_read_append(out, out_size, "./", 2);
    if (ok && file_read_append_name(out, out_size, name))
        error = file_read_find_out(files, out, floor ? floor : 2, is_beside);
    if (!*is_beside && !error) out[0] = '\0';
    return error;
}

bool tenon_file_beside(const tenon_files *files, const char *model_path, tenon_str name, char *out,
                       size_t out_size)
{
    bool is_beside;
    if (!files) files = tenon_system_files();
    if (file_read_find_beside(files, model_path, name, out, out_size, &is_beside) != 0)
        out[0] = '\0';
    return is_beside;
}

tn_place tn_find_sidecar(const tn_search *search, tenon_str name)
{
    const tenon_files *files = search->files ? search->files : tenon_system_files();
    tenon_file_info info;
    tenon_error why;
    bool is_beside;
    int error = file_read_find_beside(files, search->model_path, name, search->out,
                                      search->out_size, &is_beside);
    if (!error && !is_beside) return TN_PLACE_OUTSIDE;
    tn_place place = error ? TN_PLACE_OUTSIDE : TN_PLACE_MISSING;
    if (!error) error = files->look(files->user, search->out, &info);
    if (!error && search->info) *search->info = info;
    if (!error) return TN_PLACE_FOUND;
    (void)tn_file_error(&why, TENON_ERR_IO, error, "look at", search->out, NULL);
    if (!tn_is_outage(&why)) return place;
    *search->err = why;
    return TN_PLACE_MISSING;
}

bool tn_load_sidecar(const char *model_path, const char *extension, tenon_read_opts *opts,
                     tenon_bytes *bytes, tenon_error *err)
{
    char name[TN_PATH_SIZE], place[TN_PATH_SIZE];
    tenon_str stem = tn_path_stem(model_path);
    tn_error_clear(err);
    if (!opts->files) opts->files = tenon_system_files();
    opts->beside = model_path;
    const tn_search search = {opts->files, model_path, place, sizeof place, err, NULL};
    int size = snprintf(name, sizeof name, "%.*s.%s", (int)stem.size, stem.data, extension);
    return size > 0 && (size_t)size < sizeof name &&
           tn_find_sidecar(&search, (tenon_str){name, (uint32_t)size}) == TN_PLACE_FOUND &&
           tenon_load(place, opts, bytes, err);
}

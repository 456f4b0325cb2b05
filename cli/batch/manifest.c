// manifest.c: what earlier runs made of what, beside their outputs.
// SPDX-License-Identifier: MIT

#include "batch/manifest.h"

#include "batch/manifest_text.h"
#include "input/paths.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"
#include "system/platform.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 65536u

// -- Reading

static manifest_block *manifest_add_block(manifest *all, size_t room)
{
    manifest_block *block = malloc(sizeof *block + room);
    if (!block) return NULL;
    *block = (manifest_block){.next = all->blocks, .room = room};
    all->blocks = block;
    return block;
}

static bool manifest_push_line(manifest_line **lines, uint32_t *count, uint32_t *room,
                               manifest_line line)
{
    if (*count == *room) {
        uint32_t more = *room ? 2 * *room : 64;
        manifest_line *longer = realloc(*lines, more * sizeof *longer);
        if (!longer) return false;
        *lines = longer;
        *room = more;
    }
    (*lines)[(*count)++] = line;
    return true;
}

static bool manifest_push_name(manifest *all, const char *name, uint32_t line, bool is_output)
{
    if (all->name_count == all->name_room) {
        uint32_t room = all->name_room ? 2 * all->name_room : 64;
        manifest_name *longer = realloc(all->names, room * sizeof *longer);
        if (!longer) return false;
        all->names = longer;
        all->name_room = room;
    }
    all->names[all->name_count++] = (manifest_name){text_hash(name), line, is_output};
    return true;
}

// Read one of the files. If it is damaged, nothing of it is used.
static int manifest_read(manifest *all, const char *path, bool is_own, bool is_log)
{
    tenon_bytes bytes;
    tenon_error err;
    const tenon_read_opts opts = {.files = tenon_system_files()};
    // Another shard that ends at this moment removes its log.
    if (!tenon_load(path, &opts, &bytes, &err))
        return err.system == ENOENT ? CLI_GO_ON : report_error(path, &err);
    manifest_block *block = manifest_add_block(all, bytes.size);
    if (block) memcpy(block->text, bytes.data, block->used = bytes.size);
    tenon_unload(&bytes);
    if (!block) return report_no_memory();
    char *text = block->text, *end = text + block->used;
    uint32_t before = all->count, number = 1;
    size_t head = strlen(MANIFEST_HEAD);
    bool is_sound = block->used >= head && memcmp(text, MANIFEST_HEAD, head) == 0;
    // A log may end anywhere, if the run was killed.
    if (!is_sound && is_log && block->used < head && memcmp(text, MANIFEST_HEAD, block->used) == 0)
        return CLI_GO_ON;
    bool has_memory = true;
    for (char *at = text + head; is_sound && has_memory && at < end; number++) {
        char *next = memchr(at, '\n', (size_t)(end - at));
        if (!next && is_log) break;
        is_sound = next && manifest_text_is_sound(at, (size_t)(next - at));
        // A line of a log is torn where the disk was full; its files did not get their names.
        bool is_torn = !is_sound && is_log;
        is_sound |= is_torn;
        if (!is_sound) break;
        *next = '\0';
        const manifest_line line = {.text = at, .is_packed = true, .is_own = is_own};
        has_memory = is_torn || manifest_push_line(&all->lines, &all->count, &all->room, line);
        at = next + 1;
    }
    if (!has_memory) return report_no_memory();
    if (is_sound) return CLI_GO_ON;
    all->count = before;
    char note[96];
    (void)snprintf(note, sizeof note,
                   "line %u is damaged or not Tenon's: this manifest is not used",
                   (unsigned)number);
    report_note(path, note);
    all->is_changed |= is_own;
    return CLI_GO_ON;
}

static int manifest_compare_names(const void *a, const void *b)
{
    const manifest_name *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

// Of several lines about one output, the last one counts; files of the others are also ours.
static bool manifest_index(manifest *all)
{
    manifest_record record = {0};
    bool ok = true;
    for (uint32_t i = 0; i < all->count && ok; i++) {
        if (!manifest_parse(all->lines[i].text, &record)) {
            all->lines[i].is_removed = true;  // Its sum is right, but not what it says.
            continue;
        }
        ok = manifest_push_name(all, record.output, i, true);
        for (uint32_t k = 0; k < record.made_count && ok; k++)
            ok = manifest_push_name(all, record.made[k][0], i, false);
    }
    manifest_record_free(&record);
    if (!ok) return false;
    if (all->name_count)
        qsort(all->names, all->name_count, sizeof *all->names, manifest_compare_names);
    return true;
}

// The manifests of other shards, and of runs without shards.
typedef struct manifest_others {
    manifest *all;
    const char *own;
    int status;
} manifest_others;

static bool manifest_read_other(void *user, const char *name)
{
    manifest_others *others = user;
    size_t size = strlen(MANIFEST_NAME);
    if (strncmp(name, MANIFEST_NAME, size) != 0 || strcmp(name, others->own) == 0) return true;
    size_t name_size = strlen(name);
    bool is_log = name_size > 4 && strcmp(name + name_size - 4, ".log") == 0;
    if (is_log && name_size - 4 == strlen(others->own) &&
        strncmp(name, others->own, name_size - 4) == 0)
        return true;
    bool is_new = name_size > 4 && strcmp(name + name_size - 4, ".new") == 0;
    if (is_new || (name[size] && name[size] != '-' && !is_log)) return true;
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s%s", others->all->folder, name);
    others->status = manifest_read(others->all, path, false, is_log);
    return others->status == CLI_GO_ON;
}

// Lock the log, if it has its name then: another run may have removed it before, as one that was
// left. Returns 0, or an errno value.
static int manifest_lock_log(const manifest *all, tenon_file log)
{
    const tenon_files *files = tenon_system_files();
    tenon_file_info open, named;
    int error = files->lock(files->user, log);
    if (error) return error == ENOSYS ? 0 : error;
    bool has_its_name = files->stat(files->user, log, &open) == 0 &&
                        files->look(files->user, all->log_path, &named) == 0 &&
                        file_id_equal(open.id, named.id);
    return has_its_name ? 0 : EWOULDBLOCK;
}

// Create the log, with its lock. A log without lock was left by a run that was killed: then its
// lines are in the manifest by now, which is saved first.
static int manifest_open_log(manifest *all)
{
    const tenon_files *files = tenon_system_files();
    tenon_error err;
    tenon_file log;
    int error = files->open_write(files->user, all->log_path, &log);
    if (error == 0) {
        bool is_left = manifest_lock_log(all, log) == 0;
        bool ok = is_left && manifest_save(all, &err);
        all->was_killed = is_left;
        if (ok) (void)files->remove(files->user, all->log_path);
        (void)files->close(files->user, log);
        if (is_left && !ok) return report_error(all->path, &err);
        error = is_left ? ENOENT : EWOULDBLOCK;
        // Windows does not remove open files.
        if (ok) (void)files->remove(files->user, all->log_path);
    }
    if (error == ENOENT) error = files->create(files->user, all->log_path, &all->log);
    if (error == 0) {
        error = manifest_lock_log(all, all->log);
        all->is_open = error == 0;
        if (error) (void)files->close(files->user, all->log);
    }
    if (error == 0 && manifest_write_log(all, MANIFEST_HEAD, strlen(MANIFEST_HEAD)))
        return CLI_GO_ON;
    bool is_busy = error == EWOULDBLOCK || error == EEXIST || error == EACCES;
    err = is_busy
              ? report_make(TENON_ERR_EXISTS, "another run is writing to this folder")
              : report_make(TENON_ERR_IO, "cannot be written: %s", strerror(error ? error : EIO));
    (void)snprintf(err.note, sizeof err.note, "each run needs its own '--shard', or folder");
    return report_error(all->log_path, &err);
}

int manifest_open(manifest *all, const char *folder, uint64_t shard, uint64_t shard_count,
                  bool is_dry)
{
    char name[96], path[PATH_SIZE];
    size_t size = strlen(folder);
    *all = (manifest){0};
    (void)snprintf(name, sizeof name, MANIFEST_NAME);
    if (shard_count)
        (void)snprintf(name, sizeof name, MANIFEST_NAME "-%" PRIu64 "-of-%" PRIu64, shard,
                       shard_count);
    (void)snprintf(path, sizeof path, "%s%s", folder, size && folder[size - 1] == '/' ? "" : "/");
    all->folder = text_copy(path, strlen(path));
    (void)snprintf(path + strlen(path), sizeof path - strlen(path), "%s", name);
    all->path = text_copy(path, strlen(path));
    (void)snprintf(path + strlen(path), sizeof path - strlen(path), ".log");
    all->log_path = text_copy(path, strlen(path));
    if (!all->folder || !all->path || !all->log_path) return report_no_memory();
    manifest_others others = {all, name, CLI_GO_ON};
    (void)platform_list(all->folder, manifest_read_other, &others);
    int status = others.status;
    if (status == CLI_GO_ON) status = manifest_read(all, all->path, true, false);
    if (status == CLI_GO_ON) status = manifest_read(all, all->log_path, true, true);
    if (status == CLI_GO_ON && !manifest_index(all)) status = report_no_memory();
    return status == CLI_GO_ON && !is_dry ? manifest_open_log(all) : status;
}

// -- Asking

// `seen` is the stamp of the file when the run began; 0: it is not known.
static bool manifest_is_same(const char *path, const char *stamp, const char *hash, uint64_t seen)
{
    if (seen && *stamp && text_hash(stamp) == seen) return true;
    char now[STAMP_SIZE], content[HASH_SIZE];
    tenon_file_info info;
    const tenon_files *files = tenon_system_files();
    if (*hash == '-') return files->look(files->user, path, &info) == ENOENT;
    if (*hash == '+')
        return files->look(files->user, path, &info) == 0 && info.kind == TENON_FILE_REGULAR;
    if (*hash == '*') return trace_hash_folder(path, content) && strcmp(content, hash) == 0;
    if (*stamp && platform_stamp(path, now) && strcmp(now, stamp) == 0) return true;
    return *hash && trace_hash_file(path, content) && strcmp(content, hash) == 0;
}

static bool manifest_is_made_same(const manifest *all, const char *const file[3], uint64_t seen)
{
    char path[PATH_SIZE];
    int size = snprintf(path, sizeof path, "%s%s", all->folder, file[0]);
    return size > 0 && size < PATH_SIZE && manifest_is_same(path, file[1], file[2], seen);
}

static bool manifest_line_is_current(const manifest *all, const char *line, const char *output,
                                     const char *key, const manifest_seen *seen)
{
    manifest_record record = {0};
    bool ok = manifest_parse(line, &record) && strcmp(record.output, output) == 0 &&
              strcmp(record.key, key) == 0;
    for (uint32_t i = 0; i < record.used_count && ok; i++)
        ok = manifest_is_same(record.used[i][0], record.used[i][1], record.used[i][2],
                              strcmp(record.used[i][0], seen->input) == 0 ? seen->input_stamp : 0);
    for (uint32_t i = 0; i < record.made_count && ok; i++)
        ok = manifest_is_made_same(all, record.made[i],
                                   strcmp(record.made[i][0], output) == 0 ? seen->output_stamp : 0);
    manifest_record_free(&record);
    return ok;
}

// The first name with this hash, or after it.
static uint32_t manifest_find(const manifest *all, uint64_t hash)
{
    uint32_t low = 0, high = all->name_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (all->names[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool manifest_is_current(const manifest *all, const char *output, const char *key,
                         const manifest_seen *seen)
{
    uint64_t hash = text_hash(output);
    uint32_t last = UINT32_MAX;
    for (uint32_t i = manifest_find(all, hash); i < all->name_count; i++) {
        if (all->names[i].hash != hash) break;
        if (all->names[i].is_output) last = all->names[i].line;
        if (all->names[i].is_output &&
            manifest_line_is_current(all, all->lines[last].text, output, key, seen))
            return true;
    }
    return false;
}

// Whether a line lists a file, below the folder, and it has this hash; NULL: any.
static bool manifest_line_lists(const char *line, const char *path, const char *hash)
{
    manifest_record record = {0};
    bool is_parsed = manifest_parse(line, &record), is_listed = false;
    for (uint32_t i = 0; is_parsed && i < record.made_count && !is_listed; i++)
        is_listed =
            strcmp(record.made[i][0], path) == 0 && (!hash || strcmp(record.made[i][2], hash) == 0);
    manifest_record_free(&record);
    return is_listed;
}

const char *manifest_below(const manifest *all, const char *path)
{
    size_t size = strlen(all->folder);
    return strncmp(path, all->folder, size) == 0 ? path + size : NULL;
}

bool manifest_has_made(const manifest *all, const char *path)
{
    const char *name = manifest_below(all, path);
    char content[HASH_SIZE];
    if (!name) return false;
    uint64_t hash = text_hash(name);
    uint32_t i = manifest_find(all, hash);
    if (i >= all->name_count || all->names[i].hash != hash) return false;
    if (!trace_hash_file(path, content)) return false;
    for (; i < all->name_count && all->names[i].hash == hash; i++)
        if (!all->names[i].is_output &&
            manifest_line_lists(all->lines[all->names[i].line].text, name, content))
            return true;
    return false;
}

// -- Adding

bool manifest_add(manifest *all, const manifest_record *record)
{
    size_t size = 0;
    char *line = manifest_text_make(record, &size);
    char *kept = line ? text_copy(line, size) : NULL;
    bool ok = kept && manifest_push_line(&all->added, &all->added_count, &all->added_room,
                                         (manifest_line){.text = kept, .is_own = true});
    if (!ok) free(kept);
    if (ok) {
        line[size] = '\n';  // In place of the NUL.
        ok = manifest_write_log(all, line, size + 1);
    }
    free(line);
    all->is_changed = true;
    if (!ok) return false;
    // Earlier lines about the output are still true until it is renamed, but not at the end.
    uint64_t hash = text_hash(record->output);
    for (uint32_t i = manifest_find(all, hash); i < all->name_count; i++) {
        if (all->names[i].hash != hash) break;
        if (all->names[i].is_output) all->lines[all->names[i].line].is_removed = true;
    }
    return true;
}

bool manifest_flush(manifest *all)
{
    const tenon_files *files = guard_output_files();
    return !all->is_open || files->sync(files->user, all->log) == 0;
}

uint32_t manifest_last(const manifest *all)
{
    return all->added_count - 1;
}

void manifest_settle(manifest *all, uint32_t line)
{
    manifest_record record = {0};
    char path[PATH_SIZE], (*stamps)[STAMP_SIZE];
    if (!manifest_parse(all->added[line].text, &record)) {
        manifest_record_free(&record);
        return;
    }
    stamps = calloc(record.made_count ? record.made_count : 1, sizeof *stamps);
    for (uint32_t i = 0; stamps && i < record.made_count; i++) {
        (void)snprintf(path, sizeof path, "%s%s", all->folder, record.made[i][0]);
        (void)platform_stamp(path, stamps[i]);
        record.made[i][1] = stamps[i];
    }
    size_t size;
    char *text = stamps ? manifest_text_make(&record, &size) : NULL;
    manifest_block *block = all->blocks;
    if (text && (!block || size >= block->room - block->used))
        block = manifest_add_block(all, size < BLOCK_SIZE ? BLOCK_SIZE : size + 1);
    if (text && block) {
        manifest_line *settled = &all->added[line];
        free(settled->text);
        settled->text = memcpy(block->text + block->used, text, size + 1);
        settled->is_packed = true;
        block->used += size + 1;
    }
    free(text);
    manifest_record_free(&record);
    free(stamps);
}

// -- Removing

// Whether a line that still counts lists the file.
static bool manifest_is_needed(const manifest *all, const char *name)
{
    uint64_t hash = text_hash(name);
    for (uint32_t i = manifest_find(all, hash); i < all->name_count; i++) {
        if (all->names[i].hash != hash) break;
        uint32_t line = all->names[i].line;
        if (!all->lines[line].is_removed && manifest_line_lists(all->lines[line].text, name, NULL))
            return true;
    }
    for (uint32_t i = 0; i < all->added_count; i++)
        if (strstr(all->added[i].text, name) && manifest_line_lists(all->added[i].text, name, NULL))
            return true;
    return false;
}

// Remove the folders of a file that was removed, if they are empty.
static void manifest_remove_folders(const manifest *all, const char *path)
{
    char folder[PATH_SIZE];
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *slash; (slash = strrchr(folder, '/')) && slash > folder;) {
        *slash = '\0';
        if (strlen(folder) < strlen(all->folder) || platform_remove_folder(folder) != 0) return;
    }
}

void manifest_prune(manifest *all, bool is_dry, bool (*is_wanted)(void *user, const char *output),
                    void (*report)(void *user, const char *path, bool is_removed), void *user)
{
    const tenon_files *files = tenon_system_files();
    manifest_record record = {0};
    for (uint32_t i = 0; i < all->count; i++) {
        manifest_line *line = &all->lines[i];
        tenon_file_info info;
        if (!line->is_own || !manifest_parse(line->text, &record)) continue;
        bool is_gone = !line->is_removed && !is_wanted(user, record.output) &&
                       files->look(files->user, record.source, &info) == ENOENT;
        bool was_replaced = line->is_removed;
        if (is_gone) line->is_removed = all->is_changed = true;
        for (uint32_t k = 0; k < record.made_count && (is_gone || was_replaced); k++) {
            char path[PATH_SIZE];
            (void)snprintf(path, sizeof path, "%s%s", all->folder, record.made[k][0]);
            if (manifest_is_needed(all, record.made[k][0])) continue;
            if (files->look(files->user, path, &info) != 0) continue;
            bool is_ours = manifest_is_made_same(all, record.made[k], 0);
            if (is_ours && !is_dry) {
                is_ours = files->remove(files->user, path) == 0;
                manifest_remove_folders(all, path);
            }
            report(user, path, is_ours);
        }
        if (is_dry && is_gone) line->is_removed = false;
    }
    manifest_record_free(&record);
}

// -- The end

bool manifest_close(manifest *all, tenon_error *err)
{
    const tenon_files *files = tenon_system_files();
    bool ok = !all->is_open || !all->is_changed || manifest_save(all, err);
    if (all->is_open) {
        if (ok) (void)files->remove(files->user, all->log_path);
        (void)files->close(files->user, all->log);
        if (ok) (void)files->remove(files->user, all->log_path);
    }
    for (uint32_t i = 0; i < all->added_count; i++)
        if (!all->added[i].is_packed) free(all->added[i].text);
    for (manifest_block *block = all->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(all->lines);
    free(all->added);
    free(all->names);
    free(all->folder);
    free(all->path);
    free(all->log_path);
    *all = (manifest){0};
    return ok;
}

// manifest_text.c: the lines of manifests, and writing them.
// SPDX-License-Identifier: MIT

#include "batch/manifest_text.h"

#include "input/paths.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SUM_SIZE 16  // Digits at the start of a line.

static uint64_t manifest_text_sum(const char *text, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (uint8_t)text[i]) * 1099511628211u;
    return hash ^ hash >> 31;
}

static void manifest_text_put_sum(char digits[SUM_SIZE], const char *text, size_t size)
{
    uint64_t sum = manifest_text_sum(text, size);
    for (int i = 0; i < SUM_SIZE; i++) digits[i] = "0123456789abcdef"[sum >> (60 - 4 * i) & 15];
}

bool manifest_text_is_sound(const char *line, size_t size)
{
    char sum[SUM_SIZE];
    if (size <= SUM_SIZE + 1 || line[SUM_SIZE] != '\t' || memchr(line, '\0', size)) return false;
    manifest_text_put_sum(sum, line + SUM_SIZE, size - SUM_SIZE);
    return memcmp(line, sum, SUM_SIZE) == 0;
}

// -- Making

typedef struct line_maker {
    char *text;
    size_t size, room;
    bool failed;
} line_maker;

static void manifest_text_add(line_maker *line, const char *bytes, size_t size)
{
    if (size + 2 > line->room - line->size) {
        size_t room = 2 * line->room + size + 256;
        char *longer = line->failed ? NULL : realloc(line->text, room);
        line->failed |= !longer;
        if (!longer) return;
        line->text = longer;
        line->room = room;
    }
    memcpy(line->text + line->size, bytes, size);
    line->size += size;
}

// A tab and a text, in which tabs, ends of lines and backslashes are "\t", "\n" and "\\".
static void manifest_text_add_field(line_maker *line, const char *text)
{
    manifest_text_add(line, "\t", 1);
    for (size_t size; *text; text += size) {
        size = strcspn(text, "\t\n\\");
        manifest_text_add(line, text, size);
        if (!text[size]) break;
        const char *name = text[size] == '\t' ? "\\t" : text[size] == '\n' ? "\\n" : "\\\\";
        manifest_text_add(line, name, 2);
        size++;
    }
}

static void manifest_text_add_files(line_maker *line, const char *(*files)[3], uint32_t count)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", (unsigned)count);
    manifest_text_add_field(line, text);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) manifest_text_add_field(line, files[i][k]);
}

char *manifest_text_make(const manifest_record *record, size_t *size)
{
    line_maker line = {0};
    manifest_text_add(&line, "0000000000000000", SUM_SIZE);
    manifest_text_add_field(&line, record->output);
    manifest_text_add_field(&line, record->key);
    manifest_text_add_field(&line, record->source);
    manifest_text_add_files(&line, record->used, record->used_count);
    manifest_text_add_files(&line, record->made, record->made_count);
    if (line.failed) {
        free(line.text);
        return NULL;
    }
    manifest_text_put_sum(line.text, line.text + SUM_SIZE, line.size - SUM_SIZE);
    line.text[line.size] = '\0';
    *size = line.size;
    return line.text;
}

// -- Taking apart

// The next field, with what stands for tabs and ends of lines replaced; NULL if there is none.
static char *manifest_text_next(char **at)
{
    char *field = *at, *to = field, *from = field;
    if (!field) return NULL;
    for (; *from && *from != '\t'; from++) {
        bool is_escape = *from == '\\' && from[1];
        if (is_escape) from++;
        *to++ = !is_escape ? *from : *from == 't' ? '\t' : *from == 'n' ? '\n' : *from;
    }
    *at = *from ? from + 1 : NULL;
    *to = '\0';
    return field;
}

static bool manifest_text_next_files(char **at, const char *(**files)[3], uint32_t *count,
                                     uint32_t *room)
{
    const char *number = manifest_text_next(at);
    char *end;
    if (!number || !*number || strlen(number) > 6) return false;
    unsigned long wanted = strtoul(number, &end, 10);
    if (*end) return false;
    if (wanted > *room) {
        free((void *)*files);
        *files = calloc(wanted, sizeof **files);
        *room = *files ? (uint32_t)wanted : 0;
        if (!*files) return false;
    }
    *count = (uint32_t)wanted;
    for (uint32_t i = 0; i < *count; i++)
        for (int k = 0; k < 3; k++)
            if (!((*files)[i][k] = manifest_text_next(at))) return false;
    return true;
}

bool manifest_parse(const char *line, manifest_record *record)
{
    size_t size = strlen(line);
    if (size >= record->text_room) {
        free(record->text);
        record->text = malloc(size + 1);
        record->text_room = record->text ? size + 1 : 0;
        if (!record->text) return false;
    }
    memcpy(record->text, line, size + 1);
    char *at = record->text;
    (void)manifest_text_next(&at);
    record->output = manifest_text_next(&at);
    record->key = manifest_text_next(&at);
    record->source = manifest_text_next(&at);
    bool ok =
        record->source &&
        manifest_text_next_files(&at, &record->used, &record->used_count, &record->used_room) &&
        manifest_text_next_files(&at, &record->made, &record->made_count, &record->made_room);
    return ok && !at;
}

void manifest_record_free(manifest_record *record)
{
    free(record->text);
    free((void *)record->used);
    free((void *)record->made);
    *record = (manifest_record){0};
}

// -- Writing

static bool manifest_text_write(tenon_file file, const char *text, size_t size)
{
    const tenon_files *files = tenon_system_files();
    while (size > 0) {
        size_t put = 0;
        int error = files->write(files->user, file, text, size, &put);
        if (error == EINTR) continue;
        if (error || put == 0) return false;
        text += put;
        size -= put;
    }
    return true;
}

bool manifest_write_log(manifest *all, const char *text, size_t size)
{
    bool ok = (!all->is_torn || manifest_text_write(all->log, "\n", 1)) &&
              manifest_text_write(all->log, text, size);
    all->is_torn = !ok;
    return ok;
}

// The lines that count, in pieces.
static bool manifest_text_write_lines(tenon_file file, const manifest_line *lines, uint32_t count)
{
    char piece[16384];
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t size = strlen(lines[i].text);
        if (!lines[i].is_own || lines[i].is_removed) continue;
        if (size + 1 > sizeof piece - used) {
            if (!manifest_text_write(file, piece, used)) return false;
            used = 0;
        }
        if (size + 1 > sizeof piece) {
            if (!manifest_text_write(file, lines[i].text, size)) return false;
        } else {
            memcpy(piece + used, lines[i].text, size);
            used += size;
        }
        piece[used++] = '\n';
    }
    return manifest_text_write(file, piece, used);
}

// The folder is locked by the log, so that no other run writes the file.
bool manifest_save(const manifest *all, tenon_error *err)
{
    const tenon_files *files = tenon_system_files();
    char path[PATH_SIZE];
    tenon_file file;
    (void)snprintf(path, sizeof path, "%s.new", all->path);
    (void)files->remove(files->user, path);
    int error = files->create(files->user, path, &file);
    if (error == 0) {
        bool ok = manifest_text_write(file, MANIFEST_HEAD, strlen(MANIFEST_HEAD)) &&
                  manifest_text_write_lines(file, all->lines, all->count) &&
                  manifest_text_write_lines(file, all->added, all->added_count);
        error = ok ? files->sync(files->user, file) : errno ? errno : EIO;
        int closing = files->close(files->user, file);
        if (!error) error = closing;
        if (!error) error = files->rename(files->user, path, all->path, true);
        if (!error) (void)files->sync_name(files->user, all->path);
        if (error) (void)files->remove(files->user, path);
    }
    if (error) *err = report_make(TENON_ERR_IO, "cannot be written: %s", strerror(error));
    return error == 0;
}

// convert_stale.c: files beside an output that its reader would take for part of it.
// SPDX-License-Identifier: MIT

#include "convert/convert_stale.h"

#include "system/guard.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/bbmod.h>

#define PATH_SIZE 4096

typedef struct search {
    file_list *stale;
    const scene_conversion *c;
    const char *name;    // Of the output, without folders.
    size_t folder_size;  // Of its path.
    size_t stem_size;    // Of the name.
    bool failed;
} search;

// -- Names

// The path of a file beside the output; false if it is too long.
static bool path_beside(const search *s, const char *name, size_t size, const char *end,
                        char path[PATH_SIZE])
{
    int used = snprintf(path, PATH_SIZE, "%.*s%.*s%s", (int)s->folder_size, s->c->job->out,
                        (int)size, name, end);
    return used > 0 && used < PATH_SIZE;
}

static bool exists(const char *path)
{
    tenon_file_info info;
    const tenon_files *files = guard_files();
    return files->look(files->user, path, &info) == 0 && info.kind == TENON_FILE_REGULAR;
}

static bool is_ours(const search *s, const char *path)
{
    return claims_has(s->c->plan->claims, path);
}

static bool add(search *s, const char *name, size_t size, const char *end)
{
    char path[PATH_SIZE];
    if (!path_beside(s, name, size, end, path) || !exists(path) || is_ours(s, path)) return true;
    s->failed = !file_list_add(s->stale, "", path);
    return !s->failed;
}

// -- Clips of BBMOD

// "hero_big_run.bbanim" is no clip of "hero" if there is a model "hero_big".
static bool has_other_model(const search *s, const char *name)
{
    char path[PATH_SIZE];
    for (const char *bar = name + s->stem_size + 1; (bar = strchr(bar, '_')); bar++)
        if (path_beside(s, name, (size_t)(bar - name), ".bbmod", path) && exists(path)) return true;
    return false;
}

static void take_animation(void *user, const char *name)
{
    search *s = user;
    if (!has_other_model(s, name)) (void)add(s, name, strlen(name), "");
}

// -- All of it

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool stale_find(file_list *stale, const scene_conversion *c, const tenon_format *to)
{
    const char *slash = strrchr(c->job->out, '/');
    search s = {.stale = stale, .c = c, .name = slash ? slash + 1 : c->job->out};
    const char *dot = strrchr(s.name, '.');
    s.folder_size = (size_t)(s.name - c->job->out);
    s.stem_size = dot && dot != s.name ? (size_t)(dot - s.name) : strlen(s.name);
    if (strcmp(c->job->out, "-") == 0) return true;
    tenon_error err;
    // A folder that cannot be listed has been written to all the same.
    if (strcmp(to->name, "bbmod") == 0 &&
        !tenon_bbanim_find(guard_files(), c->job->out, NULL, take_animation, &s, &err))
        s.failed = s.failed || err.code == TENON_ERR_MEMORY;
    if (strcmp(to->name, "bmw") == 0) (void)add(&s, s.name, s.stem_size, ".json");
    if (strcmp(to->name, "gpb") == 0) (void)add(&s, s.name, s.stem_size, ".material");
    if (stale->count) qsort(stale->names, stale->count, sizeof *stale->names, by_name);
    return !s.failed;
}

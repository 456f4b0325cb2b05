// convert_claims.c: which job each file belongs to, so that no job replaces a file of another.
// SPDX-License-Identifier: MIT

#include "convert/convert_claims.h"

#include "input/job.h"
#include "input/paths.h"
#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>

// The path with all links resolved. A folder that does not exist yet has no links.
static void convert_claims_resolve_path(const char *path, char resolved[PATH_SIZE])
{
    const tenon_files *files = guard_files();
    if (files->resolve(files->user, path, resolved, PATH_SIZE) == 0) return;
    char here[PATH_SIZE];
    bool is_relative = path[0] != '/' && files->resolve(files->user, ".", here, PATH_SIZE) == 0;
    int size = is_relative ? snprintf(resolved, PATH_SIZE, "%s/%s", here, path) : PATH_SIZE;
    if (size >= PATH_SIZE) (void)snprintf(resolved, PATH_SIZE, "%s", path);
}

// -- Names that differ in case

static char convert_claims_to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// A hash that is equal for all names that a file system could take for the same one: it ignores
// case and letters beyond ASCII, which can be written in several ways.
static uint64_t convert_claims_hash_path(const char *path)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = path; *c; c++)
        if ((uint8_t)*c < 0x80)
            hash = (hash ^ (uint8_t)convert_claims_to_lower(*c)) * 1099511628211u;
    return hash;
}

// Whether names ignore case where `path` is to be. That is found out from the nearest folder that
// exists and has letters in its name: is it also found under its name in the other case?
static bool convert_claims_ignores_case(const char *path)
{
    char folder[PATH_SIZE], other[PATH_SIZE];
    const tenon_files *files = guard_files();
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strrchr(folder, '/'); slash && slash > folder;
         slash = strrchr(folder, '/')) {
        tenon_file_info info, other_info;
        *slash = '\0';
        if (files->look(files->user, folder, &info) != 0) continue;
        bool has_letters = false;
        (void)snprintf(other, sizeof other, "%s", folder);
        for (char *c = other + (path_base_name(folder) - folder); *c; c++) {
            bool is_letter =
                convert_claims_to_lower(*c) >= 'a' && convert_claims_to_lower(*c) <= 'z';
            if (is_letter) *c = (char)(*c ^ 0x20);
            has_letters |= is_letter;
        }
        if (!has_letters) continue;
        return files->look(files->user, other, &other_info) == 0 &&
               file_id_equal(other_info.id, info.id);
    }
    return false;
}

// Whether two different paths lead to the same file: files that exist have ids; for others the
// folder decides.
static bool convert_claims_is_same_file(const char *a, const char *b)
{
    tenon_file_id id_a, id_b;
    bool has_a = tenon_file_identify(guard_files(), a, &id_a);
    bool has_b = tenon_file_identify(guard_files(), b, &id_b);
    if (has_a && has_b) return file_id_equal(id_a, id_b);
    if (has_a || has_b) return false;
    size_t i = 0;
    while (a[i] && convert_claims_to_lower(a[i]) == convert_claims_to_lower(b[i])) i++;
    return a[i] == b[i] && convert_claims_ignores_case(a);
}

// -- The list

static claim *convert_find_claim(const claims *all, const char *resolved)
{
    uint64_t hash = convert_claims_hash_path(resolved);
    for (uint32_t i = 0; i < all->count; i++) {
        claim *found = &all->list[i];
        if (found->hash != hash) continue;
        if (strcmp(found->path, resolved) == 0 ||
            convert_claims_is_same_file(found->path, resolved))
            return found;
    }
    return NULL;
}

static bool convert_add_claim(claims *all, const char *resolved, const claim *values)
{
    if (all->count == all->room) {
        uint32_t room = all->room ? 2 * all->room : 16;
        claim *longer = realloc(all->list, room * sizeof *longer);
        if (!longer) return false;
        all->list = longer;
        all->room = room;
    }
    char *copy = text_copy(resolved, strlen(resolved));
    if (!copy) return false;
    claim *added = &all->list[all->count++];
    *added = *values;
    added->hash = convert_claims_hash_path(resolved);
    added->path = copy;
    return true;
}

bool claims_reserve(claims *all, const char *path, uint32_t owner, const claim **other,
                    bool *is_by_case)
{
    char resolved[PATH_SIZE];
    convert_claims_resolve_path(path, resolved);
    *other = convert_find_claim(all, resolved);
    *is_by_case = *other && strcmp((*other)->path, resolved) != 0;
    claim added = {.owner = owner, .is_reserved = true, .is_output = true};
    return *other || convert_add_claim(all, resolved, &added);
}

bool claims_take(claims *all, const char *path, uint32_t owner, bool shares, tenon_error *err)
{
    char resolved[PATH_SIZE];
    convert_claims_resolve_path(path, resolved);
    claim *found = convert_find_claim(all, resolved);
    if (!found)
        return convert_add_claim(all, resolved, &(claim){.owner = owner}) || job_out_of_memory(err);
    if (shares ? !found->is_output : found->owner == owner && found->is_reserved) {
        found->is_reserved = false;
        return true;
    }
    bool is_by_case = strcmp(found->path, resolved) != 0;
    const char *whose = found->owner == CLAIM_REPORT ? "the report"
                        : found->owner == owner      ? "another file of this output"
                                                     : "a file of another input";
    *err = report_make(TENON_ERR_EXISTS, "'%s' would also be %s%s", path, whose,
                       is_by_case ? ": file names ignore case there" : "");
    (void)snprintf(err->note, sizeof err->note,
                   "'--force' does not allow this; give one of them another name");
    return false;
}

void claims_release(claims *all, uint32_t owner)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        claim *one = &all->list[i];
        if (one->owner == owner && !one->is_output) {
            free(one->path);
            continue;
        }
        if (one->owner == owner) one->is_reserved = true;
        all->list[count++] = *one;
    }
    all->count = count;
}

bool claims_has(const claims *all, const char *path)
{
    char resolved[PATH_SIZE];
    convert_claims_resolve_path(path, resolved);
    return convert_find_claim(all, resolved) != NULL;
}

void claims_free(claims *all)
{
    for (uint32_t i = 0; i < all->count; i++) free(all->list[i].path);
    free(all->list);
    *all = (claims){0};
}

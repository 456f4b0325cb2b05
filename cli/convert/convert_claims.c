// convert_claims.c: whose each file of a run is, so that no output replaces a file of another.
// SPDX-License-Identifier: MIT

#include "convert/convert_claims.h"

#include "report/report.h"
#include "system/guard.h"

#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096

// In a folder that does not exist yet, nothing leads elsewhere.
static void find_place(const char *path, char place[PATH_SIZE])
{
    const tenon_files *files = guard_files();
    if (files->resolve(files->user, path, place, PATH_SIZE) == 0) return;
    char here[PATH_SIZE];
    bool is_relative = path[0] != '/' && files->resolve(files->user, ".", here, PATH_SIZE) == 0;
    int size = is_relative ? snprintf(place, PATH_SIZE, "%s/%s", here, path) : PATH_SIZE;
    if (size >= PATH_SIZE) (void)snprintf(place, PATH_SIZE, "%s", path);
}

// -- Names that differ in case

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same_but_for_case(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return *a == *b;
}

// The same for all names that a file system could take for one: neither case nor letters beyond
// ASCII count, which there are several ways to write.
static uint64_t key_of(const char *place)
{
    uint64_t key = 14695981039346656037u;
    for (const char *c = place; *c; c++)
        if ((uint8_t)*c < 0x80) key = (key ^ (uint8_t)lower(*c)) * 1099511628211u;
    return key;
}

// Whether the last part of a path that exists can be written in the other case as well. False for
// *is_known if it has no letters.
static bool has_other_case(const char *path, tenon_file_id id, bool *is_known)
{
    char other[PATH_SIZE];
    tenon_file_info info;
    const tenon_files *files = guard_files();
    const char *slash = strrchr(path, '/');
    size_t start = slash ? (size_t)(slash - path) + 1 : 0;
    (void)snprintf(other, sizeof other, "%s", path);
    *is_known = false;
    for (char *c = other + start; *c; c++) {
        if (!is_letter(*c)) continue;
        *c = (char)(*c ^ 0x20);
        *is_known = true;
    }
    return *is_known && files->look(files->user, other, &info) == 0 &&
           info.id.device == id.device && info.id.inode == id.inode;
}

// Whether case does not count where `place` is to be, judged by the folders that it is in.
static bool ignores_case(const char *place)
{
    char path[PATH_SIZE];
    const tenon_files *files = guard_files();
    (void)snprintf(path, sizeof path, "%s", place);
    for (char *slash = strrchr(path, '/'); slash && slash > path; slash = strrchr(path, '/')) {
        tenon_file_info info;
        bool is_known = false;
        *slash = '\0';
        if (files->look(files->user, path, &info) != 0) continue;
        bool answer = has_other_case(path, info.id, &is_known);
        if (is_known) return answer;
    }
    return false;
}

// Two names, spelled differently, of one file: the system knows, or its folders tell.
static bool is_one_file(const char *a, const char *b)
{
    tenon_file_id first, second;
    bool has_first = tenon_file_identify(guard_files(), a, &first);
    bool has_second = tenon_file_identify(guard_files(), b, &second);
    if (has_first && has_second)
        return first.device == second.device && first.inode == second.inode;
    return !has_first && !has_second && is_same_but_for_case(a, b) && ignores_case(a);
}

// -- The list

static claim *find(const claims *all, const char *place)
{
    uint64_t key = key_of(place);
    for (uint32_t i = 0; i < all->count; i++) {
        claim *c = &all->list[i];
        if (c->key != key) continue;
        if (strcmp(c->place, place) == 0 || is_one_file(c->place, place)) return c;
    }
    return NULL;
}

// Whether a claim is of the same file by a name of another case.
static bool is_other_spelling(const claim *found, const char *place)
{
    return strcmp(found->place, place) != 0;
}

static bool add(claims *all, const char *place, const claim *model)
{
    if (all->count == all->room) {
        uint32_t room = all->room ? 2 * all->room : 16;
        claim *longer = realloc(all->list, room * sizeof *longer);
        if (!longer) return false;
        all->list = longer;
        all->room = room;
    }
    char *copy = malloc(strlen(place) + 1);
    if (!copy) return false;
    claim *added = &all->list[all->count++];
    *added = *model;
    added->key = key_of(place);
    added->place = strcpy(copy, place);
    return true;
}

bool claims_reserve(claims *all, const char *path, uint32_t owner, const claim **other,
                    bool *is_by_case)
{
    char place[PATH_SIZE];
    find_place(path, place);
    *other = find(all, place);
    *is_by_case = *other && is_other_spelling(*other, place);
    claim fresh = {.owner = owner, .is_reserved = true, .is_output = true};
    return *other || add(all, place, &fresh);
}

static bool refuse(const claim *found, const char *path, const char *place, uint32_t owner,
                   tenon_error *err)
{
    const char *why = is_other_spelling(found, place) ? ": case does not count there" : "";
    const char *whose = found->owner == CLAIM_REPORT ? "the report"
                        : found->owner == owner      ? "another file of this output"
                                                     : "a file of another input";
    *err = report_make(TENON_ERR_EXISTS, "'%s' would also be %s%s", path, whose, why);
    (void)snprintf(err->note, sizeof err->note, "'--force' cannot help; give one another name");
    return false;
}

static bool add_or_fail(claims *all, const char *place, uint32_t owner, tenon_error *err)
{
    if (add(all, place, &(claim){.owner = owner})) return true;
    *err = report_make(TENON_ERR_MEMORY, "out of memory");
    return false;
}

bool claims_take(claims *all, const char *path, uint32_t owner, tenon_error *err)
{
    char place[PATH_SIZE];
    find_place(path, place);
    claim *found = find(all, place);
    if (!found) return add_or_fail(all, place, owner, err);
    if (found->owner != owner || !found->is_reserved) return refuse(found, path, place, owner, err);
    found->is_reserved = false;
    return true;
}

bool claims_share(claims *all, const char *path, uint32_t owner, tenon_error *err)
{
    char place[PATH_SIZE];
    find_place(path, place);
    const claim *found = find(all, place);
    if (!found) return add_or_fail(all, place, owner, err);
    return !found->is_output || refuse(found, path, place, owner, err);
}

void claims_release(claims *all, uint32_t owner)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        claim *c = &all->list[i];
        if (c->owner == owner && !c->is_output) {
            free(c->place);
            continue;
        }
        if (c->owner == owner) c->is_reserved = true;
        all->list[count++] = *c;
    }
    all->count = count;
}

bool claims_has(const claims *all, const char *path)
{
    char place[PATH_SIZE];
    find_place(path, place);
    return find(all, place) != NULL;
}

void claims_free(claims *all)
{
    for (uint32_t i = 0; i < all->count; i++) free(all->list[i].place);
    free(all->list);
    *all = (claims){0};
}

// convert_claims.c: whose each file of a run is, so that no output replaces a file of another.
// SPDX-License-Identifier: MIT

#include "convert_claims.h"

#include "guard.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096

// In a folder that does not exist yet, nothing leads elsewhere.
static void find_place(const char *path, char place[PATH_SIZE])
{
    const tenon_files *files = guard_files();
    if (files->resolve(files->user, path, place, PATH_SIZE) != 0)
        (void)snprintf(place, PATH_SIZE, "%s", path);
}

static claim *find(const claims *all, const char *place)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (strcmp(all->list[i].place, place) == 0) return &all->list[i];
    return NULL;
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
    added->place = strcpy(copy, place);
    return true;
}

bool claims_reserve(claims *all, const char *path, uint32_t owner, const claim **other)
{
    char place[PATH_SIZE];
    find_place(path, place);
    *other = find(all, place);
    claim fresh = {.owner = owner, .is_reserved = true, .is_output = true};
    return *other || add(all, place, &fresh);
}

static bool refuse(const claim *found, const char *path, uint32_t owner, tenon_error *err)
{
    const char *whose = found->owner == CLAIM_REPORT ? "the report"
                        : found->owner == owner      ? "another file of this output"
                                                     : "a file of another input";
    *err = report_make(TENON_ERR_EXISTS, "'%s' would also be %s", path, whose);
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
    if (found->owner != owner || !found->is_reserved) return refuse(found, path, owner, err);
    found->is_reserved = false;
    return true;
}

bool claims_keep(claims *all, const char *path, uint32_t owner, tenon_error *err)
{
    char place[PATH_SIZE];
    find_place(path, place);
    const claim *found = find(all, place);
    if (!found) return add_or_fail(all, place, owner, err);
    return !found->is_output || refuse(found, path, owner, err);
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

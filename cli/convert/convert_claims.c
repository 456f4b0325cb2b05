// convert_claims.c: which job each file belongs to, so that no job replaces a file of another.
// SPDX-License-Identifier: MIT

#include "convert/convert_claims.h"

#include "input/job.h"
#include "input/paths.h"
#include "report/clean.h"
#include "report/report.h"
#include "system/guard.h"
#include "system/platform.h"

#include <stdlib.h>
#include <string.h>

// The path of a folder with all links resolved. What does not exist of it has no links. "" if that
// is not known.
static void convert_claims_resolve_folder(const char *folder, char place[PATH_SIZE])
{
    const tenon_files *files = guard_files();
    char there[PATH_SIZE];
    size_t size = strlen(folder);
    bool is_found = false;
    place[0] = '\0';
    while (!is_found) {
        while (size > 1 && folder[size - 1] == '/') size--;
        (void)snprintf(there, sizeof there, "%.*s", size ? (int)size : 1, size ? folder : ".");
        is_found = files->resolve(files->user, there, place, PATH_SIZE) == 0;
        if (!is_found && (size == 0 || strcmp(there, "/") == 0)) {
            place[0] = '\0';
            return;
        }
        while (!is_found && size > 0 && folder[size - 1] != '/') size--;
    }
    const char *missing = folder + size + strspn(folder + size, "/");
    size_t used = strlen(place), missing_size = strlen(missing);
    while (missing_size > 0 && missing[missing_size - 1] == '/') missing_size--;
    if (missing_size == 0) return;
    bool has_slash = used > 0 && place[used - 1] == '/';
    size_t room = PATH_SIZE - used;
    int added =
        snprintf(place + used, room, "%s%.*s", has_slash ? "" : "/", (int)missing_size, missing);
    if (added < 0 || (size_t)added >= room) place[0] = '\0';
}

// The path with all links resolved. Many paths in a row are in one folder, which is resolved once.
// False if memory ran out.
static bool convert_claims_resolve_path(claims *all, const char *path, char resolved[PATH_SIZE],
                                        uint64_t *stamp)
{
    const tenon_files *files = guard_files();
    const char *name = path_base_name(path);
    size_t folder_size = (size_t)(name - path);
    if (!all->folder || strlen(all->folder) != folder_size ||
        memcmp(all->folder, path, folder_size) != 0) {
        char place[PATH_SIZE];
        free(all->folder);
        free(all->place);
        all->place = NULL;
        all->places++;
        all->folder = text_copy(path, folder_size);
        if (!all->folder) return false;
        convert_claims_resolve_folder(all->folder, place);
        all->place = text_copy(place, strlen(place));
        if (!all->place) return false;
    }
    bool is_root = strcmp(all->place, "/") == 0;
    int size = *all->place ? snprintf(resolved, PATH_SIZE, "%s/%s", is_root ? "" : all->place, name)
                           : PATH_SIZE;
    bool is_plain = size < PATH_SIZE && *name && !platform_may_be_link(path, stamp);
    if (is_plain || files->resolve(files->user, path, resolved, PATH_SIZE) == 0) return true;
    if (size >= PATH_SIZE) (void)snprintf(resolved, PATH_SIZE, "%s", path);
    return true;
}

// -- Names that differ in case

static char convert_claims_to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// The same for other scripts, as far as their capital letters are at a fixed distance.
static uint32_t convert_claims_fold(uint32_t code)
{
    bool is_latin = code >= 0xC0 && code <= 0xDE && code != 0xD7;
    bool is_greek = code >= 0x391 && code <= 0x3A9, is_cyrillic = code >= 0x410 && code <= 0x42F;
    if (code < 0x80) return (uint8_t)convert_claims_to_lower((char)code);
    if (is_latin || is_greek || is_cyrillic) return code + 0x20;
    if (code >= 0x400 && code <= 0x40F) return code + 0x50;
    // Pairs of a capital letter and its small one.
    bool is_even = (code >= 0x100 && code <= 0x137) || (code >= 0x14A && code <= 0x177) ||
                   (code >= 0x460 && code <= 0x481) || (code >= 0x48A && code <= 0x4BF);
    bool is_odd = (code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17E);
    if (is_odd) return code + (code & 1);
    return is_even ? code | 1 : code;
}

// Whether two paths are the same but for case.
static bool convert_claims_differ_in_case(const char *a, const char *b)
{
    while (*a || *b) {
        uint32_t code_a = (uint8_t)*a, code_b = (uint8_t)*b;
        size_t step_a = clean_decode(a, strlen(a), &code_a);
        size_t step_b = clean_decode(b, strlen(b), &code_b);
        if (convert_claims_fold(code_a) != convert_claims_fold(code_b)) return false;
        a += step_a ? step_a : 1;
        b += step_b ? step_b : 1;
    }
    return true;
}

// A hash that is equal for all names that a file system could take for the same one: it ignores
// case and letters beyond ASCII, which can be written in several ways.
static uint64_t convert_claims_hash_path(const char *path)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = path; *c; c++)
        if ((uint8_t)*c < 0x80)
            hash = (hash ^ (uint8_t)convert_claims_to_lower(*c)) * 1099511628211u;
    return hash ^ hash >> 32;
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

// With `ignores_case`, names that differ only in case are the same anywhere.
static claim *convert_find_claim(const claims *all, const char *resolved, bool ignores_case)
{
    if (all->room == 0) return NULL;
    uint64_t hash = convert_claims_hash_path(resolved);
    for (uint32_t i = all->chains[hash % all->room]; i; i = all->list[i - 1].next) {
        claim *found = &all->list[i - 1];
        if (found->hash != hash || !found->path) continue;
        if (strcmp(found->path, resolved) == 0 ||
            (ignores_case && convert_claims_differ_in_case(found->path, resolved)) ||
            convert_claims_is_same_file(found->path, resolved))
            return found;
    }
    return NULL;
}

static void convert_claims_link_to_owner(claims *all, uint32_t index)
{
    uint32_t *chain = &all->owners[all->list[index].owner % all->room];
    all->list[index].next_of_owner = *chain;
    *chain = index + 1;
}

static void convert_claims_link(claims *all, uint32_t index)
{
    uint32_t *chain = &all->chains[all->list[index].hash % all->room];
    all->list[index].next = *chain;
    *chain = index + 1;
    convert_claims_link_to_owner(all, index);
}

static bool convert_claims_grow(claims *all)
{
    uint32_t room = all->room ? 2 * all->room : 16;
    claim *longer = realloc(all->list, room * sizeof *longer);
    if (longer) all->list = longer;
    uint32_t *chains = longer ? calloc(room, sizeof *chains) : NULL;
    uint32_t *owners = chains ? calloc(room, sizeof *owners) : NULL;
    if (!owners) {
        free(chains);
        return false;
    }
    free(all->chains);
    free(all->owners);
    all->chains = chains;
    all->owners = owners;
    all->room = room;
    for (uint32_t i = 0; i < all->count; i++) convert_claims_link(all, i);
    return true;
}

static bool convert_add_claim(claims *all, const char *resolved, const claim *values)
{
    if (all->count == all->room && !convert_claims_grow(all)) return false;
    char *copy = text_copy(resolved, strlen(resolved));
    if (!copy) return false;
    claim *added = &all->list[all->count];
    *added = *values;
    added->hash = convert_claims_hash_path(resolved);
    added->path = copy;
    convert_claims_link(all, all->count++);
    return true;
}

// Whether a resolved path is in a folder, which need not exist.
static bool convert_claims_is_inside(const char *resolved, const char *folder)
{
    char root[PATH_SIZE];
    const tenon_files *files = guard_files();
    if (files->resolve(files->user, folder, root, sizeof root) != 0) return true;
    size_t size = strlen(root);
    if (size > 0 && root[size - 1] == '/') size--;
    return strncmp(resolved, root, size) == 0 && resolved[size] == '/';
}

bool claims_reserve(claims *all, const char *path, const char *folder, uint32_t owner,
                    bool wants_stamp, claim_conflict *conflict)
{
    char resolved[PATH_SIZE];
    *conflict = (claim_conflict){0};
    uint32_t before = all->places;
    if (!convert_claims_resolve_path(all, path, resolved, wants_stamp ? &conflict->stamp : NULL))
        return false;
    // Of many files in one folder, the first one says where it is.
    bool is_other_folder =
        before != all->places || strcmp(path_base_name(resolved), path_base_name(path)) != 0;
    conflict->is_outside = folder && is_other_folder && !convert_claims_is_inside(resolved, folder);
    conflict->other = convert_find_claim(all, resolved, folder != NULL);
    conflict->is_by_case = conflict->other && strcmp(conflict->other->path, resolved) != 0;
    claim added = {.owner = owner, .is_reserved = true, .is_output = true};
    return conflict->other || convert_add_claim(all, resolved, &added);
}

bool claims_take(claims *all, const char *path, uint32_t owner, bool shares, tenon_error *err)
{
    char resolved[PATH_SIZE];
    if (!convert_claims_resolve_path(all, path, resolved, NULL)) return job_out_of_memory(err);
    claim *found = convert_find_claim(all, resolved, false);
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

bool claims_is_taken(claims *all, const char *path, uint32_t owner)
{
    char resolved[PATH_SIZE];
    // If memory runs out, taking the path will fail as well.
    if (!convert_claims_resolve_path(all, path, resolved, NULL)) return false;
    const claim *found = convert_find_claim(all, resolved, false);
    return found && found->owner != owner;
}

void claims_renumber(claims *all, uint32_t owner, uint32_t new_owner)
{
    // Reservations are in the order of their owners, some of which have none.
    for (uint32_t i = all->renumbered; i < all->count; i++) {
        if (all->list[i].owner != owner) continue;
        uint32_t *link = &all->owners[owner % all->room];
        while (*link != i + 1) link = &all->list[*link - 1].next_of_owner;
        *link = all->list[i].next_of_owner;
        all->list[i].owner = new_owner;
        convert_claims_link_to_owner(all, i);
        all->renumbered = i + 1;
        return;
    }
}

void claims_release(claims *all, uint32_t owner)
{
    uint32_t next = all->room ? all->owners[owner % all->room] : 0;
    for (claim *one; next; next = one->next_of_owner) {
        one = &all->list[next - 1];
        if (one->owner != owner) continue;
        one->is_reserved = one->is_output;
        if (one->is_output) continue;
        free(one->path);
        one->path = NULL;
    }
}

bool claims_has(claims *all, const char *path)
{
    char resolved[PATH_SIZE];
    return convert_claims_resolve_path(all, path, resolved, NULL) &&
           convert_find_claim(all, resolved, false);
}

void claims_free(claims *all)
{
    for (uint32_t i = 0; i < all->count; i++) free(all->list[i].path);
    free(all->list);
    free(all->chains);
    free(all->owners);
    free(all->folder);
    free(all->place);
    *all = (claims){0};
}

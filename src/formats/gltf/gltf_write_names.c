// gltf_write_names.c: names of picture files, and URIs.
// SPDX-License-Identifier: MIT

#include "gltf_write.h"

#include "../../core/number.h"
#include "../../core/text.h"

#include <stdio.h>
#include <string.h>

#define STEM_MOST 100u  // Bytes, so that no file system refuses a name.

enum { TAG_NAME = 1000, TAG_STEM };  // Of what is known, besides streams.

// -- URIs

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_plain(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || (c && strchr("-._~/", c));
}

tenon_str gltf_base_name(tenon_str path)
{
    uint32_t start = path.size;
    while (start > 0 && path.data[start - 1] != '/') start--;
    return (tenon_str){path.data + start, path.size - start};
}

static bool is_absolute(tenon_str path)
{
    if (path.size > 0 && path.data[0] == '/') return true;
    return path.size > 1 && is_letter(path.data[0]) && path.data[1] == ':';
}

static char *encode(char *out, const char *text, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < size; i++) {
        if (is_plain(text[i])) {
            *out++ = text[i];
            continue;
        }
        *out++ = '%';
        *out++ = digits[(uint8_t)text[i] >> 4];
        *out++ = digits[text[i] & 15];
    }
    return out;
}

const char *gltf_uri_of(gltf_writer *w, tenon_str path, bool is_beside_output)
{
    const char *root = is_beside_output ? NULL : w->e->opts->texture_root;
    size_t root_size = root ? strlen(root) : 0;
    if (is_absolute(path)) path = gltf_base_name(path);
    char *uri = gltf_alloc(w, 3 * ((uint64_t)root_size + path.size) + 2, 1);
    if (!uri) return NULL;
    char *at = encode(uri, root, root_size);
    if (root_size && root[root_size - 1] != '/') *at++ = '/';
    encode(at, path.data, path.size);
    return uri;
}

// -- New files

// Upper and lower case are one on many disks.
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Whether the name was free; it is not any more.
static bool gltf_take_name(gltf_writer *w, const char *name, size_t size)
{
    char *copy = gltf_alloc(w, (uint64_t)size + 1, 1);
    if (!copy) return true;
    for (size_t i = 0; i < size; i++) copy[i] = lower(name[i]);
    uint32_t *place = gltf_know_bytes(w, TAG_NAME, copy, size);
    if (!place) return true;
    bool is_free = *place == TENON_NONE;
    *place = 0;
    return is_free;
}

void gltf_reserve_name(gltf_writer *w, tenon_str name)
{
    (void)gltf_take_name(w, name.data, name.size);
}

// Names that Windows keeps for devices, whatever their extension.
static bool is_device(const char *stem)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul"};
    char word[4] = {lower(stem[0])};
    for (int i = 1; i < 3 && stem[i - 1]; i++) word[i] = lower(stem[i]);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (strlen(stem) == 3 && strcmp(word, devices[i]) == 0) return true;
    bool is_port = strcmp(word, "com") == 0 || strcmp(word, "lpt") == 0;
    return strlen(stem) == 4 && is_port && stem[3] >= '0' && stem[3] <= '9';
}

// The last part of a path without its extension, made of what every file system takes.
static void make_stem(tenon_str path, char *stem)
{
    tenon_str base = gltf_base_name(path);
    uint32_t size = base.size, used = 0;
    for (uint32_t i = 1; i < base.size; i++)
        if (base.data[i] == '.') size = i;
    for (size_t i = 0, n; i < size; i += n) {
        char c = base.data[i];
        n = tn_utf8_step(base.data + i, size - i);
        bool is_odd =
            n == 0 || (n == 1 && ((uint8_t)c < 0x20 || c == 0x7f || strchr("\\:*?\"<>|", c)));
        if (n == 0) n = 1;
        if (used + n > STEM_MOST) break;
        memcpy(stem + used, is_odd || (c == '.' && used == 0) ? "_" : base.data + i, n);
        used += (uint32_t)n;
    }
    while (used > 0 && (stem[used - 1] == ' ' || stem[used - 1] == '.')) used--;
    stem[used] = '\0';
    if (used == 0) memcpy(stem, "picture", sizeof "picture");
    if (is_device(stem)) memcpy(stem + used, "_", 2);
}

// Where to go on counting for names with that stem.
static uint32_t *gltf_stem_count(gltf_writer *w, const char *stem)
{
    size_t size = strlen(stem);
    char *copy = gltf_alloc(w, (uint64_t)size + 1, 1);
    for (size_t i = 0; copy && i < size; i++) copy[i] = lower(stem[i]);
    uint32_t *count = copy ? gltf_know_bytes(w, TAG_STEM, copy, size) : NULL;
    if (count && *count == TENON_NONE) *count = 1;
    return count;
}

const char *gltf_side_name(gltf_writer *w, const tenon_image *image, const char *extension)
{
    char plain[STEM_MOST + 8], stem[2 * STEM_MOST + 16];
    make_stem(image->path.size ? image->path : image->name, plain);
    // With the output's name in front it cannot be the picture of somebody else.
    const char *own = w->e->opts->name;
    (void)snprintf(stem, sizeof stem, "%.*s%s%s", STEM_MOST, own ? own : "", own ? "_" : "", plain);
    size_t room = strlen(stem) + strlen(extension) + TN_NUMBER_MAX + 2;
    char *name = gltf_alloc(w, room, 1);
    uint32_t *count = name ? gltf_stem_count(w, stem) : NULL;
    if (!count) return NULL;
    uint32_t number = *count;
    do {
        if (number == 1)
            (void)snprintf(name, room, "%s%s", stem, extension);
        else
            (void)snprintf(name, room, "%s_%u%s", stem, (unsigned)number, extension);
        number++;
    } while (!gltf_take_name(w, name, strlen(name)));
    count = gltf_stem_count(w, stem);
    if (count) *count = number;
    return w->failed ? NULL : name;
}

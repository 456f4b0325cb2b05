// gltf_export_names.c: names of picture files, and URIs.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include "exchange/export_document.h"

#include <string.h>

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

const char *gltf_uri_of(gltf_exporter *exporter, tenon_str path, bool is_beside_output)
{
    const char *root = is_beside_output ? NULL : exporter->export->opts->texture_root;
    size_t root_size = root ? strlen(root) : 0;
    if (is_absolute(path)) path = gltf_base_name(path);
    char *uri = gltf_alloc(exporter, 3 * ((uint64_t)root_size + path.size) + 2, 1);
    if (!uri) return NULL;
    char *at = encode(uri, root, root_size);
    if (root_size && root[root_size - 1] != '/') *at++ = '/';
    encode(at, path.data, path.size);
    return uri;
}

// -- New files

void gltf_reserve_name(gltf_exporter *exporter, tenon_str name)
{
    if (!tn_names_reserve(&exporter->export->state->taken, name))
        exporter->failed = !tn_names_fail(&exporter->export->state->taken, exporter->export->err);
}

const char *gltf_sidecar_name(gltf_exporter *exporter, const tenon_image *image,
                              const char *extension)
{
    tenon_str base = gltf_base_name(image->path.size ? image->path : image->name), prefix = {"", 0};
    for (uint32_t i = 1, size = base.size; i < size; i++)
        if (base.data[i] == '.') base.size = i;
    if (base.size == 0) base = (tenon_str){"picture", 7};
    // The output's name as a prefix avoids overwriting pictures of other models.
    if (exporter->export->opts->name) prefix = tn_export_prefix(exporter->export);
    const char *name =
        prefix.data ? tn_export_name(exporter->export, prefix, base, extension) : NULL;
    if (!name) exporter->failed = true;
    return name;
}

// gltf_import_buffers.c: bytes of buffers: from the BIN chunk of GLB, data URIs, or sidecar files.
// SPDX-License-Identifier: MIT

#include "formats/gltf/import/gltf_import.h"

#include "core/compress/meshopt.h"
#include "core/files/file.h"
#include "core/memory/budget.h"
#include "core/text/text.h"

#include <inttypes.h>
#include <string.h>

#define MEMORY_SHARE 64  // Bytes that a scene may use for each byte of input.
#define PATH_MOST    4096

enum { STRIDE_MOST = 252 };

// -- URIs

bool gltf_import_is_data_uri(tenon_str uri)
{
    char scheme[6] = "";
    if (uri.size >= 5) memcpy(scheme, uri.data, 5);
    return tn_same_word(scheme, "data:");
}

uint32_t gltf_import_decode_uri(tenon_str uri, char *out)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < uri.size; i++) {
        char c = uri.data[i];
        int high = c == '%' && uri.size - i > 2 ? tn_hex_digit(uri.data[i + 1]) : -1;
        int low = high >= 0 ? tn_hex_digit(uri.data[i + 2]) : -1;
        if (low >= 0) {
            c = (char)(16 * high + low);
            i += 2;
        }
        out[size++] = c;
    }
    return size;
}

tenon_str gltf_import_path_of_uri(gltf_importer *importer, tenon_str uri)
{
    char *path = gltf_import_scratch(importer, (uint64_t)uri.size + 1, 1);
    return (tenon_str){path, path ? gltf_import_decode_uri(uri, path) : 0};
}

// -- Base 64

static int gltf_import_buffers_digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

// Returns the number of bytes; TENON_ABSENT if the text is not base 64.
static uint64_t gltf_import_buffers_decode_base64(const char *text, uint64_t size, uint8_t *out)
{
    uint64_t used = 0;
    uint32_t bits = 0, held = 0;
    while (size > 0 && text[size - 1] == '=') size--;
    if (size % 4 == 1) return TENON_ABSENT;
    for (uint64_t i = 0; i < size; i++) {
        int digit = gltf_import_buffers_digit_of(text[i]);
        if (digit < 0) return TENON_ABSENT;
        held = held << 6 | (uint32_t)digit;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        out[used++] = (uint8_t)(held >> bits);
    }
    return used;
}

// Without ";base64" the data is percent-encoded.
const uint8_t *gltf_import_decode_data_uri(gltf_importer *importer, const tn_json_value *uri,
                                           tn_arena *arena, uint64_t *size)
{
    static const char mark[] = ";base64";
    const char *comma = memchr(uri->text, ',', uri->size);
    if (!comma) {
        gltf_import_fail(importer, TENON_ERR_VALUE, uri,
                         "a data URI must start with 'data:TYPE;base64,'");
        return NULL;
    }
    uint32_t head = (uint32_t)(comma - uri->text), left = uri->size - head - 1;
    bool is_base64 = head >= sizeof mark - 1 + 5 &&
                     memcmp(comma - (sizeof mark - 1), mark, sizeof mark - 1) == 0;
    uint64_t room = is_base64 ? (uint64_t)left / 4 * 3 + 3 : (uint64_t)left + 1;
    uint8_t *bytes = arena == &importer->scratch ? gltf_import_scratch(importer, room, 1)
                                                 : tn_scene_array(importer->builder, room, 1);
    if (!bytes) return NULL;
    *size = is_base64 ? gltf_import_buffers_decode_base64(comma + 1, left, bytes)
                      : gltf_import_decode_uri((tenon_str){comma + 1, left}, (char *)bytes);
    if (*size != TENON_ABSENT) return bytes;
    gltf_import_fail(importer, TENON_ERR_VALUE, uri, "the data URI is not valid base64");
    return NULL;
}

// -- Buffers

// Letters, a colon and two slashes.
bool gltf_import_is_url(tenon_str uri)
{
    uint32_t i = 0;
    while (i < uri.size && ((uri.data[i] | 32) >= 'a' && (uri.data[i] | 32) <= 'z')) i++;
    return i > 1 && uri.size - i > 2 && memcmp(uri.data + i, "://", 3) == 0;
}

static bool gltf_import_buffers_load_file(gltf_importer *importer, const tn_json_value *uri,
                                          gltf_buffer *out)
{
    const tenon_scene_opts *opts = importer->builder->opts;
    const tenon_files *files = opts->files ? opts->files : tenon_system_files();
    tenon_read_opts read = {
        .allocator = opts->allocator, .files = files, .beside = opts->model_path};
    char path[PATH_MOST], shown[128];
    tenon_error why = {0};
    tenon_str name = gltf_import_path_of_uri(importer, (tenon_str){uri->text, uri->size});
    if (importer->builder->failed) return false;
    tn_text_clean(name.data, name.size, shown, sizeof shown);
    if (gltf_import_is_url(name))
        return gltf_import_fail(importer, TENON_ERR_UNSUPPORTED, uri,
                                "'%s' is a URL, and URLs are not fetched", shown);
    if (!opts->model_path)
        return gltf_import_fail(
            importer, TENON_ERR_IO, uri,
            "'%s' is another file, which cannot be opened: the folder of the model is unknown",
            shown);
    const tn_search search = {files, opts->model_path, path, sizeof path, &why, NULL};
    if (tn_find_sidecar(&search, name) == TN_PLACE_OUTSIDE)
        return gltf_import_fail(importer, TENON_ERR_VALUE, uri,
                                "'%s' is outside the model's folder", shown);
    if (why.code != TENON_OK || !tenon_load(path, &read, &out->file, &why)) {
        out->file = (tenon_bytes){0};
        gltf_import_fail(importer, why.code, uri, "%s", why.message);
        importer->builder->err->system = why.system;
        return false;
    }
    out->data = out->file.data;
    // Sidecar files count as input, so the memory limits grow with them.
    uint64_t size = out->file.size;
    if (opts->max_memory || size > UINT64_MAX / (4 * MEMORY_SHARE)) return true;
    tn_arena *const arenas[] = {importer->builder->arena, &importer->scratch};
    for (int i = 0; i < 2; i++) {
        uint64_t room = UINT64_MAX - arenas[i]->limit;  // 0: a budget is the limit.
        arenas[i]->limit += MEMORY_SHARE * size < room ? MEMORY_SHARE * size : room;
    }
    return true;
}

bool gltf_import_load_buffer(gltf_importer *importer, uint32_t index)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_gltf *doc = importer->doc;
    gltf_buffer *out = &importer->buffers[index];
    if (out->is_loaded) return true;
    const tn_json_value *buffer = gltf_import_item(importer, LIST_BUFFERS, index);
    const tn_json_value *uri = tn_json_tree_get(buffer, "uri");
    tenon_str text = gltf_import_text(importer, buffer, "uri");
    uint64_t stated = gltf_import_integer(importer, buffer, "byteLength", TENON_ABSENT), size = 0;
    if (builder->failed) return false;
    if (stated == TENON_ABSENT)
        return gltf_import_fail(importer, TENON_ERR_VALUE, buffer, "a buffer needs 'byteLength'");
    if (!uri) {
        // The bytes are in the second chunk, if it is BIN.
        if (importer->is_text || index != 0)
            return gltf_import_fail(importer, TENON_ERR_UNSUPPORTED, buffer,
                                    "the buffer has no 'uri': its data is not in the file");
        if (doc->chunk_count < 2 || doc->chunks[1].type != TENON_GLTF_CHUNK_BIN)
            return gltf_import_fail(importer, TENON_ERR_VALUE, buffer,
                                    "the first buffer has no 'uri', and there is no BIN chunk");
        out->data = doc->chunks[1].data.data;
        size = doc->chunks[1].data.size;
    } else if (gltf_import_is_data_uri(text)) {
        out->data = gltf_import_decode_data_uri(importer, uri, &importer->scratch, &size);
    } else if (gltf_import_buffers_load_file(importer, uri, out)) {
        size = out->file.size;
    }
    if (builder->failed) return false;
    if (stated > size && builder->opts->salvage) {
        // Replace missing bytes by 0xff, which gives NaNs and indices out of range, so that
        // whatever uses them is recognized as lost.
        tn_refusal why;
        uint8_t *padded = tn_arena_alloc(&importer->scratch, stated, 1, &why);
        if (why == TN_OUT_OF_MEMORY)
            return tn_scene_fail(builder, TENON_ERR_MEMORY, NULL, "out of memory");
        if (padded) {
            if (size) memcpy(padded, out->data, (size_t)size);
            memset(padded + size, 0xff, (size_t)(stated - size));
            tn_scene_report(builder, TENON_DROPPED, "bytes of buffers", stated - size, "/buffers",
                            "the file is cut off");
            size = stated;
        }
        out->data = padded;
        if (builder->failed) return false;
    }
    if (stated > size)
        return gltf_import_fail(importer, TENON_ERR_TRUNCATED, buffer,
                                "'byteLength' is %" PRIu64 ", but the buffer has %" PRIu64 " bytes",
                                stated, size);
    out->size = stated;
    out->is_loaded = true;
    return true;
}

void gltf_import_free_buffers(gltf_importer *importer)
{
    for (uint32_t i = 0; importer->buffers && i < gltf_import_count(importer, LIST_BUFFERS); i++)
        tenon_unload(&importer->buffers[i].file);
}

// -- Views

// The object of a compressed view; NULL: it is not compressed.
static const tn_json_value *gltf_import_buffers_meshopt(gltf_importer *importer,
                                                        const tn_json_value *view)
{
    const tn_json_value *of = gltf_import_extension(importer, view, "KHR_meshopt_compression");
    return of ? of : gltf_import_extension(importer, view, "EXT_meshopt_compression");
}

// Decompress a view, once. The uncompressed buffer, which need not exist, is not used.
static bool gltf_import_buffers_decompress(gltf_importer *importer, uint32_t view,
                                           const tn_json_value *of)
{
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL",
                                          "COLOR"};
    uint32_t mode = 0, filter = 0;
    const tn_json_value *wanted = tn_json_tree_get(of, "filter");
    uint32_t buffer = gltf_import_index(importer, of, "buffer", LIST_BUFFERS);
    uint64_t offset = gltf_import_integer(importer, of, "byteOffset", 0);
    uint64_t size = gltf_import_integer(importer, of, "byteLength", 0);
    uint64_t stride = gltf_import_integer(importer, of, "byteStride", 0);
    uint64_t count = gltf_import_integer(importer, of, "count", 0);
    while (mode < 3 && !tn_json_tree_is(tn_json_tree_get(of, "mode"), modes[mode])) mode++;
    while (wanted && filter < 5 && !tn_json_tree_is(wanted, filters[filter])) filter++;
    if (importer->builder->failed) return false;
    if (mode == 3 || filter == 5 || buffer == TENON_NONE || !size || !count ||
        stride > STRIDE_MOST + 4)
        return gltf_import_fail(importer, TENON_ERR_VALUE, of,
                                "a compressed view needs 'buffer', 'byteLength', 'byteStride', "
                                "'count' and a 'mode' and a 'filter' that exist");
    const gltf_buffer *bytes = &importer->buffers[buffer];
    if (!gltf_import_load_buffer(importer, buffer)) return false;
    bool is_inside = offset <= bytes->size && size <= bytes->size - offset;
    if (!is_inside || !tn_meshopt_fits((tn_meshopt_mode)mode, (tn_meshopt_filter)filter, count,
                                       (uint32_t)stride, size))
        return gltf_import_fail(importer, TENON_ERR_VALUE, of,
                                "%" PRIu64 " elements of %" PRIu64 " bytes cannot be in %" PRIu64
                                " compressed bytes at offset %" PRIu64,
                                count, stride, size, offset);
    uint8_t *out = gltf_import_scratch(importer, count, (size_t)stride);
    if (!out || !bytes->data) return !importer->builder->failed;
    if (!tn_budget_work(importer->scratch.allocator.budget, count * stride)) return false;
    if (!tn_meshopt_decode((tn_meshopt_mode)mode, (tn_meshopt_filter)filter, count,
                           (uint32_t)stride, bytes->data + offset, size, out))
        return gltf_import_fail(importer, TENON_ERR_VALUE, of, "the compressed data is damaged");
    importer->views[view] = (gltf_range){out, count * stride, 0};
    return true;
}

bool gltf_import_view_bytes(gltf_importer *importer, uint32_t view, gltf_range *out)
{
    const tn_json_value *node = gltf_import_item(importer, LIST_BUFFER_VIEWS, view);
    uint32_t buffer = gltf_import_index(importer, node, "buffer", LIST_BUFFERS);
    uint64_t offset = gltf_import_integer(importer, node, "byteOffset", 0);
    uint64_t size = gltf_import_integer(importer, node, "byteLength", 0);
    uint64_t stride = gltf_import_integer(importer, node, "byteStride", 0);
    if (importer->builder->failed) return false;
    if (buffer == TENON_NONE || size == 0)
        return gltf_import_fail(importer, TENON_ERR_VALUE, node,
                                "a buffer view needs 'buffer' and a 'byteLength' greater than 0");
    const tn_json_value *meshopt = gltf_import_buffers_meshopt(importer, node);
    if (importer->builder->failed) return false;
    if (meshopt) {
        if (stride > STRIDE_MOST)
            return gltf_import_fail(importer, TENON_ERR_VALUE, node,
                                    "'byteStride' is %" PRIu64 ", more than %d", stride,
                                    STRIDE_MOST);
        if (!importer->views[view].data && !gltf_import_buffers_decompress(importer, view, meshopt))
            return false;
        *out = importer->views[view];
        out->stride = stride;
        return true;
    }
    const gltf_buffer *bytes = &importer->buffers[buffer];
    if (!gltf_import_load_buffer(importer, buffer)) return false;
    if (offset > bytes->size || size > bytes->size - offset)
        return gltf_import_fail(importer, TENON_ERR_VALUE, node,
                                "%" PRIu64 " bytes at offset %" PRIu64
                                ", but the buffer has %" PRIu64,
                                size, offset, bytes->size);
    if (stride > STRIDE_MOST)
        return gltf_import_fail(importer, TENON_ERR_VALUE, tn_json_tree_get(node, "byteStride"),
                                "'byteStride' is %" PRIu64 ", more than %d", stride, STRIDE_MOST);
    *out = (gltf_range){bytes->data ? bytes->data + offset : NULL, size, stride};
    return true;
}

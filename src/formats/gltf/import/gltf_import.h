// gltf_import.h: a glTF document on its way to a scene.
// SPDX-License-Identifier: MIT
//
// Nothing in the file is trusted: every index is compared with its list, every range of bytes with
// what it lies in, before it is followed. What glTF forbids ends the reading, with the place of the
// value at fault; what a scene cannot hold is told as a loss.

#ifndef TN_FORMATS_GLTF_IMPORT_GLTF_IMPORT_H
#define TN_FORMATS_GLTF_IMPORT_GLTF_IMPORT_H

#include "core/json/json_tree.h"
#include "core/text/tally.h"
#include "scene/model/scene_build.h"

#include <tenon/files.h>
#include <tenon/gltf.h>

// The lists at the top of a file.
typedef enum gltf_list {
    GLTF_LIST_ACCESSORS,
    GLTF_LIST_ANIMATIONS,
    GLTF_LIST_BUFFER_VIEWS,
    GLTF_LIST_BUFFERS,
    GLTF_LIST_CAMERAS,
    GLTF_LIST_IMAGES,
    GLTF_LIST_LIGHTS,  // Of an extension.
    GLTF_LIST_MATERIALS,
    GLTF_LIST_MESHES,
    GLTF_LIST_NODES,
    GLTF_LIST_SAMPLERS,
    GLTF_LIST_SCENES,
    GLTF_LIST_SKINS,
    GLTF_LIST_TEXTURES,
    GLTF_LIST_VARIANTS,  // Of an extension.
    GLTF_LIST_COUNT,
} gltf_list;

// What a scene cannot hold.
typedef enum gltf_unread {
    GLTF_UNREAD_MORPHS,
    GLTF_UNREAD_MORPH_KEYS,
    GLTF_UNREAD_INSTANCES,
    GLTF_UNREAD_VISIBILITY,
    GLTF_UNREAD_UNDECLARED,
    GLTF_UNREAD_OMISSIONS,  // Those above change what is seen of shapes and motion.
    GLTF_UNREAD_NODES = GLTF_UNREAD_OMISSIONS,
    GLTF_UNREAD_MESHES,
    GLTF_UNREAD_SKINS,
    GLTF_UNREAD_PARTS,
    GLTF_UNREAD_STREAMS,
    GLTF_UNREAD_CHANNELS,
    GLTF_UNREAD_CLIPS,
    GLTF_UNREAD_TEXTURES,
    GLTF_UNREAD_EXTRAS,
    GLTF_UNREAD_EXTRA_KINDS,
    GLTF_UNREAD_OTHER_EXTRAS,
    GLTF_UNREAD_SCENES,
    GLTF_UNREAD_PICTURES,
    GLTF_UNREAD_FILTERS,
    GLTF_UNREAD_TEXTURE_NAMES,
    GLTF_UNREAD_COPYRIGHT,
    GLTF_UNREAD_COUNT,
} gltf_unread;

// The bytes of a buffer, once somebody needed them.
typedef struct gltf_bytes {
    bool is_loaded;
    const uint8_t *data;  // NULL: they are not known, only how many they are.
    uint64_t size;        // As the file says; there may be more.
    tenon_bytes file;
} gltf_bytes;

// Streams that several primitives share are decoded once for each purpose.
typedef enum gltf_purpose {
    GLTF_FOR_POSITIONS,
    GLTF_FOR_NORMALS,
    GLTF_FOR_TANGENTS,
    GLTF_FOR_UVS,
    GLTF_FOR_COLORS,
    GLTF_PURPOSE_COUNT,
} gltf_purpose;

typedef struct gltf_decoded {
    float *streams[GLTF_PURPOSE_COUNT];
} gltf_decoded;

// Which objects of the file become which of the scene; TENON_NONE: none.
typedef struct gltf_importer {
    tn_scene_builder *b;
    const tenon_gltf *doc;
    bool is_text;
    bool is_trial;         // All that counts is whether it fails: numbers are left out.
    uint64_t text_offset;  // Of the JSON in the file.
    tn_arena work;         // What is needed while reading only.
    tn_json_tree tree;
    const tn_json_value *lists[GLTF_LIST_COUNT];
    gltf_bytes *buffers;
    gltf_decoded *decoded;  // For each accessor.
    uint32_t *parents;      // For each node: of the file.
    bool *is_shown;         // For each node: it is in the scene.
    uint32_t *node_of, *mesh_of, *skin_of, *image_of;
    tn_tally unread[GLTF_UNREAD_COUNT];
} gltf_importer;

// -- Beginning, in gltf_import.c. Each is false if the reader failed.

bool gltf_begin(gltf_importer *r);  // Make the text a tree.
bool gltf_demand_version(gltf_importer *r);
bool gltf_parse_version(tenon_str text, uint32_t *major, uint32_t *minor);  // "2.0", or false.
bool gltf_take_lists(gltf_importer *r);
void gltf_set_list(gltf_importer *r, const char *key, const tn_json_value *list);  // One of them.
void gltf_import_tree(gltf_importer *r);  // Everything behind the text, up to the end.

// Whether scenes have what the extension of that name says.
bool gltf_supports_named(const char *name, size_t size);

// -- Failing and losing, in gltf_import_json.c

// The place of a value as a JSON pointer (RFC 6901), "/meshes/0/primitives"; cut at its start if it
// is too long.
void gltf_pointer(const tn_json_value *node, char *out, size_t out_size);

// One step of a pointer: "/3" or "/key", with '~' and '/' escaped. Returns the size; 136 bytes are
// enough.
size_t gltf_pointer_step(const tn_json_value *node, char *out, size_t out_size);

// Fail at a value. Returns false. The message says what is wrong, with "'%s'" for names.
bool gltf_fail(gltf_importer *r, tenon_code code, const tn_json_value *node, const char *fmt, ...)
    TN_PRINTF(4, 5);

void gltf_miss(gltf_importer *r, gltf_unread what, uint64_t count, const tn_json_value *node);
void gltf_report_unread(gltf_importer *r);

// Zeroed memory for the time of reading; NULL, and the reader fails, without it.
void *gltf_work(gltf_importer *r, uint64_t count, size_t size);
// Whether the limit allows so much, for work that is done with less. False if the reader failed.
bool gltf_could_work(gltf_importer *r, uint64_t count, size_t size);
uint32_t *gltf_work_indices(gltf_importer *r, uint64_t count);

// -- Salvaging, in gltf_recover.c

// After a part was read: if it failed, and the file is to be salvaged, tell that the part is lost
// and go on without it. Returns whether that was so.
bool gltf_give_up(gltf_importer *r, const char *feature, const tn_json_value *part);

// Of a text that is no JSON, what is: up to the fault, with all brackets closed, and from the next
// list of the file's own on. Allocated in `arena`; NULL if there is no memory.
tenon_str gltf_recover_json(tenon_str text, tn_arena *arena);

// -- Members of objects, in gltf_import_json.c. What has the wrong type is a failure.

const tn_json_value *gltf_object(gltf_importer *r, const tn_json_value *parent,
                                 const char *key);  // Or NULL.
const tn_json_value *gltf_array(gltf_importer *r, const tn_json_value *parent,
                                const char *key);  // Or NULL.
const tn_json_value *gltf_extension(gltf_importer *r, const tn_json_value *parent,
                                    const char *name);
double gltf_number(gltf_importer *r, const tn_json_value *parent, const char *key, double fallback);
bool gltf_numbers(gltf_importer *r, const tn_json_value *parent, const char *key, double *out,
                  uint32_t count);  // False: it is not there, and `out` is as it was.
uint64_t gltf_whole(gltf_importer *r, const tn_json_value *parent, const char *key,
                    uint64_t fallback);
bool gltf_flag(gltf_importer *r, const tn_json_value *parent, const char *key, bool fallback);
tenon_str gltf_text(gltf_importer *r, const tn_json_value *parent, const char *key);  // "" if none.

// An index into a list; TENON_NONE if it is not there.
uint32_t gltf_index(gltf_importer *r, const tn_json_value *parent, const char *key, gltf_list list);
uint32_t gltf_index_at(gltf_importer *r, const tn_json_value *value, gltf_list list);

const tn_json_value *gltf_item(const gltf_importer *r, gltf_list list, uint32_t index);
uint32_t gltf_count(const gltf_importer *r, gltf_list list);

// -- Bytes, in gltf_import_buffers.c

typedef struct gltf_range {
    const uint8_t *data;
    uint64_t size;
    uint64_t stride;  // 0: elements lie side by side.
} gltf_range;

// Get the bytes of a buffer, if nobody has yet. False if the reader failed.
bool gltf_need_buffer(gltf_importer *r, uint32_t index);

// The bytes of a buffer view. False if the reader failed.
bool gltf_view_bytes(gltf_importer *r, uint32_t view, gltf_range *out);

// The bytes that a data URI holds, decoded into `arena`. NULL if the reader failed.
bool gltf_is_data_uri(tenon_str uri);
const uint8_t *gltf_decode_data_uri(gltf_importer *r, const tn_json_value *uri, tn_arena *arena,
                                    uint64_t *size);

// Resolve the escapes of a relative reference, which makes it a path. Returns the size; `out` has
// room for that of `uri`.
uint32_t gltf_decode_uri(tenon_str uri, char *out);

// The same, in memory for the time of reading. NULL data if the reader failed.
tenon_str gltf_path_of_uri(gltf_importer *r, tenon_str uri);

// "https://": whether a reference names a place on a network.
bool gltf_is_url(tenon_str uri);

void gltf_free_buffers(gltf_importer *r);

// -- Accessors, in gltf_import_accessors.c

// What an accessor must be to be taken.
typedef enum gltf_shape {
    GLTF_SCALAR = 1,
    GLTF_VEC2 = 2,
    GLTF_VEC3 = 3,
    GLTF_VEC4 = 4,
    GLTF_MAT4 = 16,
    GLTF_VEC3_OR_4 = 0,   // Colours.
    GLTF_ANY_SHAPE = 17,  // Whatever it is.
} gltf_shape;

typedef struct gltf_elements {
    const tn_json_value *node;
    uint64_t count;
    uint32_t width;           // Numbers of an element.
    uint32_t rows;            // Of a column of a matrix, which starts at a multiple of 4 bytes.
    uint32_t component_type;  // 5120 to 5126.
    uint32_t component_size;
    bool is_normalized;
    gltf_range
        bytes;  // From the first element on. No data: zeros, or not known if there is a stride.
    uint64_t sparse_count;
    gltf_range sparse_indices, sparse_values;
    uint32_t sparse_index_size;
} gltf_elements;

// Look an accessor up and check that all of it is there. False if the reader failed.
bool gltf_open_accessor(gltf_importer *r, uint32_t index, gltf_shape shape, gltf_elements *out);

// All numbers, `out_width` for each element: what is beyond the accessor's own is left as it is.
void gltf_take_floats(gltf_importer *r, const gltf_elements *e, float *out, uint32_t out_width);
void gltf_take_whole(gltf_importer *r, const gltf_elements *e, uint32_t *out, uint32_t out_width);
void gltf_take_joints(gltf_importer *r, const gltf_elements *e, uint16_t *out, uint32_t out_width);

// The bytes of an accessor as a plain array of whole numbers; false if they are not that: other
// numbers, with gaps between them, or sparse.
bool gltf_is_plain_whole(const gltf_elements *e, tenon_span *span);

// -- Parts of the scene, each in a file of its own

// An order in which parents come before their children, and the parents; NULL if the reader failed.
uint32_t *gltf_order_nodes(gltf_importer *r);

void gltf_import_nodes(gltf_importer *r);
void gltf_import_cameras(gltf_importer *r);
void gltf_import_materials(gltf_importer *r);
void gltf_import_meshes(gltf_importer *r);
void gltf_import_skins(gltf_importer *r);
void gltf_import_animations(gltf_importer *r);
void gltf_count_unread(gltf_importer *r);  // After all others.

// Keep the extras that are plain values, but for those in `known`, which ends with NULL and may be
// NULL itself.
void gltf_import_extras(gltf_importer *r, const tn_json_value *object, tenon_extra_of of,
                        uint32_t index, const char *const *known);

#endif  // TN_FORMATS_GLTF_IMPORT_GLTF_IMPORT_H

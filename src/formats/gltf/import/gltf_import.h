// gltf_import.h: what the files of the glTF import share.
// SPDX-License-Identifier: MIT
//
// Nothing in the file is trusted: every index and every range of bytes is checked before it is
// used. What glTF forbids is an error with the place of the value; what a scene cannot hold is a
// loss.

#ifndef TN_FORMATS_GLTF_IMPORT_GLTF_IMPORT_H
#define TN_FORMATS_GLTF_IMPORT_GLTF_IMPORT_H

#include "core/text/tally.h"
#include "formats/gltf/gltf_extensions.h"
#include "scene/model/scene_build.h"

#include <tenon/files.h>
#include <tenon/gltf.h>

// What a scene cannot hold.
typedef enum gltf_unread {
    GLTF_UNREAD_VISIBILITY,
    GLTF_UNREAD_POINTERS,
    GLTF_UNREAD_UNDECLARED,
    GLTF_UNREAD_OMISSIONS,  // Those above change visible shapes or motion.
    GLTF_UNREAD_NODES = GLTF_UNREAD_OMISSIONS,
    GLTF_UNREAD_MESHES,
    GLTF_UNREAD_SKINS,
    GLTF_UNREAD_PARTS,
    GLTF_UNREAD_STREAMS,
    GLTF_UNREAD_CHANNELS,
    GLTF_UNREAD_CLIPS,
    GLTF_UNREAD_TEXTURES,
    GLTF_UNREAD_UNDECLARED_LOOKS,
    GLTF_UNREAD_EXTRAS,
    GLTF_UNREAD_EXTRA_KINDS,
    GLTF_UNREAD_EXTRAS_OF_BYTES,
    GLTF_UNREAD_OTHER_EXTRAS,
    GLTF_UNREAD_SCENES,
    GLTF_UNREAD_PICTURES,
    GLTF_UNREAD_FILTERS,
    GLTF_UNREAD_TEXTURE_NAMES,
    GLTF_UNREAD_COPYRIGHT,
    GLTF_UNREAD_HIDDEN,
    GLTF_MADE_INSTANCES,
    GLTF_MADE_BLINKING,
    GLTF_MADE_GLOSS,
    GLTF_MADE_SPECULAR,
    GLTF_MADE_CLEAR,
    GLTF_UNREAD_LOOKS,
    GLTF_UNREAD_COUNT,
} gltf_unread;

// The bytes of a buffer, loaded when first needed.
typedef struct gltf_buffer {
    bool is_loaded;
    const uint8_t *data;  // NULL: not available, only their number is known.
    uint64_t size;        // 'byteLength'; there may be more bytes.
    tenon_bytes file;
} gltf_buffer;

typedef struct gltf_range {
    const uint8_t *data;
    uint64_t size;
    uint64_t stride;  // 0: elements are packed.
} gltf_range;

typedef struct gltf_importer {
    tn_scene_builder *builder;
    const tenon_gltf *doc;
    bool is_text;
    bool is_trial;         // Only whether it fails matters: vertices and keys are not decoded.
    uint64_t text_offset;  // Of the JSON in the file.
    tn_arena scratch;      // Freed after the import.
    tn_json_tree tree;
    const tn_json_value *lists[LIST_COUNT];
    gltf_buffer *buffers;
    gltf_range *draco;  // What was compressed by Draco, for each accessor; NULL: nothing.
    gltf_range *views;  // What compressed buffer views contain, once it is needed.
    struct gltf_decoded *decoded;  // For each accessor.
    uint32_t *parents;             // For each node of the file: a node of the file, or TENON_NONE.
    bool *is_shown;                // For each node of the file: it is in the scene.
    // For each node of the file: it is never visible; an animation changes whether it is.
    bool *is_hidden, *is_blinking;
    // For each object of the file: the object of the scene, or TENON_NONE.
    uint32_t *node_of, *mesh_of, *skin_of, *image_of;
    // For each buffer view: its copy in the scene, once an image uses it.
    const uint8_t **pictures;
    tenon_material **looks;  // For each material, with its extensions; NULL: it has none of them.
    // Primitives and channels so far, of all meshes and animations of the file; of the latter, for
    // each: whether it is imported.
    uint32_t primitive_number, channel_number;
    bool *is_channel_imported, *is_animation_imported;
    tn_tally unread[GLTF_UNREAD_COUNT];
} gltf_importer;

// -- Beginning, in gltf_import.c. Each is false if the import failed.

bool gltf_import_begin(gltf_importer *importer);  // Parse the JSON.
bool gltf_import_parse_version(tenon_str text, uint32_t *major, uint32_t *minor);  // "2.0".
bool gltf_import_lists(gltf_importer *importer);
void gltf_import_tree(gltf_importer *importer);  // Everything after the JSON is parsed.

// Whether Tenon imports the extension.
bool gltf_import_supports_extension(tenon_str name);

// Whether the extension is in the list, 'extensionsUsed' or 'extensionsRequired', or among its
// first `count` items. More than GLTF_EXTENSIONS_MOST are ignored, since all are compared with all.
enum { GLTF_EXTENSIONS_MOST = 256 };
bool gltf_import_lists_extension(const gltf_importer *importer, const char *list, tenon_str name);
bool gltf_import_is_among(const tn_json_value *list, uint32_t count, tenon_str name);

// -- Errors and losses, in gltf_import_json.c

// The place of a value as a JSON pointer (RFC 6901), "/meshes/0/primitives". If it is too long, its
// start is replaced by "...".
void gltf_import_pointer(const tn_json_value *node, char *out, size_t out_size);

// One step of a pointer: "/3" or "/key", with '~' and '/' escaped. Returns the size; 136 bytes are
// enough.
size_t gltf_import_pointer_step(const tn_json_value *node, char *out, size_t out_size);

// Fail at a value. Returns false.
bool gltf_import_fail(gltf_importer *importer, tenon_code code, const tn_json_value *node,
                      const char *fmt, ...) TN_PRINTF(4, 5);

// Count what a scene cannot hold, which is reported at the end, or by exports to other formats. In
// gltf_import.c.
void gltf_import_count_loss(gltf_importer *importer, gltf_unread what, uint64_t count,
                            const tn_json_value *node);

// Zeroed memory that is freed after the import. Returns NULL, and the import fails, if there is
// none.
void *gltf_import_scratch(gltf_importer *importer, uint64_t count, size_t size);

// The same for each object of a list; indices that are all TENON_NONE.
void *gltf_import_scratch_for(gltf_importer *importer, gltf_list list, size_t size);
uint32_t *gltf_import_scratch_indices(gltf_importer *importer, gltf_list list);

// Bytes of a component of a type; 0: there is no such type.
uint32_t gltf_import_component_size(uint64_t type);

// Fail if that much memory would be over the limit, without allocating it.
bool gltf_import_scratch_fits(gltf_importer *importer, uint64_t count, size_t size);

// -- Recovery, in gltf_recover.c

// Call after a part was read. If that failed, and damaged files are recovered, report the part as
// lost, clear the failure and return true.
bool gltf_recover_skip_damaged(gltf_importer *importer, const char *feature,
                               const tn_json_value *part);

// Make valid JSON from damaged JSON: drop what is damaged, close open brackets, and continue with
// the next array of the root. Allocated in `arena`; NULL if there is no memory.
tenon_str gltf_recover_json(tenon_str text, tn_arena *arena);

// -- Members of objects, in gltf_import_json.c. They fail if the member has the wrong type.

const tn_json_value *gltf_import_object(gltf_importer *importer, const tn_json_value *parent,
                                        const char *key);  // Or NULL.
const tn_json_value *gltf_import_array(gltf_importer *importer, const tn_json_value *parent,
                                       const char *key);  // Or NULL.
const tn_json_value *gltf_import_extension(gltf_importer *importer, const tn_json_value *parent,
                                           const char *name);
double gltf_import_number(gltf_importer *importer, const tn_json_value *parent, const char *key,
                          double fallback);
bool gltf_import_numbers(gltf_importer *importer, const tn_json_value *parent, const char *key,
                         double *out,
                         uint32_t count);  // False: it is missing, and `out` is unchanged.
uint64_t gltf_import_integer(gltf_importer *importer, const tn_json_value *parent, const char *key,
                             uint64_t fallback);
bool gltf_import_flag(gltf_importer *importer, const tn_json_value *parent, const char *key,
                      bool fallback);
tenon_str gltf_import_text(gltf_importer *importer, const tn_json_value *parent,
                           const char *key);  // "" if none.

// What a message calls a type: "a string".
const char *gltf_import_kind_word(tn_json_tree_kind kind);

// The text of a string; "" for anything else.
tenon_str gltf_import_text_of(const tn_json_value *value);

// Whether a value is the member `key` of an object.
bool gltf_import_has_key(const tn_json_value *member, const char *key);

// An index into a list; TENON_NONE if it is missing.
uint32_t gltf_import_index(gltf_importer *importer, const tn_json_value *parent, const char *key,
                           gltf_list list);
uint32_t gltf_import_index_at(gltf_importer *importer, const tn_json_value *value, gltf_list list);

const tn_json_value *gltf_import_item(const gltf_importer *importer, gltf_list list,
                                      uint32_t index);
uint32_t gltf_import_count(const gltf_importer *importer, gltf_list list);

// -- Bytes, in gltf_import_buffers.c

// Load the bytes of a buffer unless they are loaded. Returns false if the import failed.
bool gltf_import_load_buffer(gltf_importer *importer, uint32_t index);

// The bytes of a buffer view. Returns false if the import failed.
bool gltf_import_view_bytes(gltf_importer *importer, uint32_t view, gltf_range *out);

// Decode a data URI into `arena`. Returns NULL if the import failed.
bool gltf_import_is_data_uri(tenon_str uri);
const uint8_t *gltf_import_decode_data_uri(gltf_importer *importer, const tn_json_value *uri,
                                           tn_arena *arena, uint64_t *size);

// Decode the percent-encoding of a URI. Returns the size; `out` has room for `uri.size` bytes.
uint32_t gltf_import_decode_uri(tenon_str uri, char *out);

// The same, in memory that is freed after the import. NULL data if the import failed.
tenon_str gltf_import_path_of_uri(gltf_importer *importer, tenon_str uri);

// Whether a URI starts like "https://".
bool gltf_import_is_url(tenon_str uri);

void gltf_import_free_buffers(gltf_importer *importer);

// -- Accessors, in gltf_import_accessors.c

// The type that an accessor must have.
typedef enum gltf_shape {
    GLTF_SCALAR = 1,
    GLTF_VEC2 = 2,
    GLTF_VEC3 = 3,
    GLTF_VEC4 = 4,
    GLTF_MAT4 = 16,
    GLTF_VEC3_OR_4 = 0,  // Colors.
    GLTF_ANY_SHAPE = 17,
} gltf_shape;

typedef struct gltf_elements {
    const tn_json_value *node;
    uint64_t count;
    uint32_t width;           // Components of an element.
    uint32_t rows;            // Of a matrix, whose columns start at multiples of 4 bytes.
    uint32_t component_type;  // 5120 to 5126.
    uint32_t component_size;
    bool is_normalized;
    gltf_range bytes;  // From the first element on. Without data: zeros if the stride is 0, else
                       // the data is not available.
    uint64_t sparse_count;
    gltf_range sparse_indices, sparse_values;
    uint32_t sparse_index_size;
} gltf_elements;

// Find an accessor and check that its bytes exist. Returns false if the import failed.
bool gltf_import_open_accessor(gltf_importer *importer, uint32_t index, gltf_shape shape,
                               gltf_elements *out);

// Decode all elements, `out_width` components each. Components that the accessor does not have are
// left unchanged.
void gltf_import_decode_floats(gltf_importer *importer, const gltf_elements *e, float *out,
                               uint32_t out_width);
void gltf_import_decode_integers(gltf_importer *importer, const gltf_elements *e, uint32_t *out,
                                 uint32_t out_width);
void gltf_import_decode_joints(gltf_importer *importer, const gltf_elements *e, uint16_t *out,
                               uint32_t out_width);

// Bytes from one element to the next, if they are packed; copy all elements as they are, `stride`
// bytes apart.
uint32_t gltf_import_element_step(const gltf_elements *e);
void gltf_import_copy_elements(const gltf_elements *e, uint8_t *out, uint32_t stride);

// The bytes of an accessor as a packed array of unsigned integers. Returns false if they are not:
// they have another type, gaps, or are sparse.
bool gltf_import_is_packed_integers(const gltf_elements *e, tenon_span *span);

// -- Parts of the scene, each in its own file

// Set `parents`. Returns an order in which parents come before their children, or NULL if the
// import failed.
uint32_t *gltf_import_order_nodes(gltf_importer *importer);

void gltf_import_nodes(gltf_importer *importer);

// What a channel changes: as tenon_target, the visibility of a node, or what scenes do not animate,
// which concerns looks only or is unknown. In gltf_import_pointers.c.
typedef enum gltf_target {
    GLTF_TARGET_TRANSLATION,
    GLTF_TARGET_ROTATION,
    GLTF_TARGET_SCALE,
    GLTF_TARGET_WEIGHTS,
    GLTF_TARGET_VISIBILITY,
    GLTF_TARGET_LOOK,
    GLTF_TARGET_UNKNOWN,
} gltf_target;

// *node gets the node of the file, or TENON_NONE. Nothing is checked: that is left to the import.
gltf_target gltf_import_channel_target(const gltf_importer *importer, const tn_json_value *channel,
                                       uint32_t *node);

// Set `is_hidden` and `is_blinking`. `order` is that of gltf_import_order_nodes().
void gltf_import_visibility(gltf_importer *importer, const uint32_t *order);

// Give a channel the scales of a node that is visible where `visible` is not 0.
void gltf_import_visibility_values(const tn_json_value *node, const float *visible,
                                   tenon_channel *channel);

void gltf_import_cameras(gltf_importer *importer);
void gltf_import_draco(gltf_importer *importer);  // Decode what is compressed by Draco.
void gltf_import_materials(gltf_importer *importer);

// Read a texture of a material. Returns the texture info, which may have a factor as well; NULL:
// there is none.
const tn_json_value *gltf_import_material_texture(gltf_importer *importer,
                                                  const tn_json_value *parent, const char *key,
                                                  uint32_t material, tenon_slot slot);

// Set `looks` of a material; give all materials their looks, and keep what they were. In
// gltf_import_looks.c.
struct gltf_kept;
void gltf_import_looks(gltf_importer *importer, const tn_json_value *from, uint32_t index);
void gltf_import_show_looks(gltf_importer *importer, struct gltf_kept *kept);
void gltf_import_meshes(gltf_importer *importer);

// Whether scenes have the attribute of a primitive that has this key.
bool gltf_import_has_attribute(const tn_json_value *member);
void gltf_import_skins(gltf_importer *importer);  // Which also completes nodes.
void gltf_import_animations(gltf_importer *importer);
void gltf_import_keep(gltf_importer *importer);  // For exports to glTF.

// The image of the scene with the picture of a file's image, which is added; TENON_NONE: it has
// none, or the import failed.
uint32_t gltf_import_image(gltf_importer *importer, uint32_t index);

// Add the extras that are strings, numbers or booleans, except those whose keys are in `known`,
// which ends with NULL and may be NULL.
void gltf_import_extras(gltf_importer *importer, const tn_json_value *object, tenon_extra_of of,
                        uint32_t index, const char *const *known);

#endif  // TN_FORMATS_GLTF_IMPORT_GLTF_IMPORT_H

// modeldata_rules.c: the table of rules of ModelData, and the order in which they are checked.
// SPDX-License-Identifier: MIT
//
// Errors make the engine throw or draw something wrong.

#include "formats/modeldata/check/modeldata_check.h"

#include "core/text/text.h"
#include "document/field_rules.h"

#include <inttypes.h>

#define ENGINE "coreengine"

_Static_assert((int)MODELDATA_RULES_END == (int)MODELDATA_RULE_COUNT, "a row for each rule");

const tenon_rule modeldata_rules[MODELDATA_RULE_COUNT] = {
    // -- Sizes
    [MODELDATA_LEGACY_SIZES] = {"modeldata/legacy-sizes", TENON_WARNING,
                                "the sizes of materials and shapes are in bytes",
                                "convert with --as current, which writes correct sizes", NULL},
    [MODELDATA_LEGACY_SHAPE] = {"modeldata/legacy-shape", TENON_ERROR,
                                "the shape is where the engine expects it, after the material",
                                "convert with --as current, which writes correct sizes", NULL},
    [MODELDATA_CHARACTER_COUNT] = {"modeldata/character-count", TENON_ERROR,
                                   "the size of a name counts its bytes",
                                   "convert with --as current, which writes correct sizes", NULL},
    [MODELDATA_JOINT_SIZES] = {"modeldata/joint-sizes", TENON_ERROR,
                               "sizes of names, not of joints, are stored before the joints",
                               "convert with --as current", ENGINE},
    [MODELDATA_LEFTOVER] = {"modeldata/leftover-bytes", TENON_WARNING,
                            "all bytes of a part belong to a field",
                            "convert with --as cem or --as cea, which drops the bytes", NULL},
    [MODELDATA_ELEMENT_SIZE] =
        {"modeldata/element-size", TENON_ERROR,
         "arrays hold whole elements, of 12, 8, 12, 12, 16, 16 and 4 bytes",
         "convert with --as cem or --as cea, which drops incomplete elements", NULL},
    [MODELDATA_SIZE_UNIT] = {"modeldata/size-unit", TENON_ERROR, "the sizes of arrays are in bytes",
                             "convert with --as current", ENGINE},
    [MODELDATA_NUMBERS_EACH] =
        {"modeldata/numbers-each", TENON_ERROR,
         "a tangent has three numbers, and a vertex has four joint ids and weights",
         "convert with --as current", ENGINE},
    // -- Meshes
    [MODELDATA_VERTEX_COUNT] = {"modeldata/vertex-count", TENON_ERROR,
                                "the arrays of a mesh have one element per vertex", NULL, NULL},
    [MODELDATA_TRIANGLE_COUNT] = {"modeldata/triangle-count", TENON_WARNING,
                                  "there are three indices for each triangle", NULL, NULL},
    [MODELDATA_INDEX_RANGE] = {"modeldata/index-range", TENON_ERROR,
                               "indices refer to vertices that exist",
                               "remove the triangle, or restore the missing vertices", NULL},
    [MODELDATA_WINDING] = {"modeldata/winding", TENON_WARNING,
                           "the winding of triangles agrees with their normals",
                           "reverse the winding: the engine shows the back of the triangles", NULL},
    [MODELDATA_ZERO_NORMAL] = {"modeldata/zero-normal", TENON_WARNING, "a normal is not zero",
                               "compute the normals again", NULL},
    [MODELDATA_NOT_FINITE] = {"modeldata/not-finite", TENON_ERROR, "numbers are finite", NULL,
                              NULL},
    [MODELDATA_MISSING_ARRAY] = {"modeldata/missing-array", TENON_ERROR,
                                 "a mesh has vertices, texture coordinates, normals, tangents and "
                                 "indices",
                                 "compute the missing arrays: the engine rejects the mesh", ENGINE},
    [MODELDATA_MISSING_SKIN] = {"modeldata/missing-skin", TENON_ERROR,
                                "a mesh of an animated model has joint ids and weights",
                                "convert with --as cem, which writes a static model", ENGINE},
    [MODELDATA_JOINT_ID] = {"modeldata/joint-id", TENON_ERROR,
                            "vertices refer to joints that exist", NULL, NULL},
    [MODELDATA_WEIGHT_ZERO] = {"modeldata/weight-zero", TENON_ERROR,
                               "a vertex has a weight other than 0",
                               "give the vertex a weight: the engine draws it at the origin", NULL},
    [MODELDATA_WEIGHT_SUM] = {"modeldata/weight-sum", TENON_WARNING,
                              "the weights of a vertex sum to 1", "divide the weights by their sum",
                              NULL},
    // -- Materials and shapes
    [MODELDATA_FLAG] = {"modeldata/flag", TENON_WARNING, "a flag is 0 or 1",
                        "write 0 or 1: the engine reads 1 to 127 as 1, and all other values as 0",
                        NULL},
    [MODELDATA_IGNORED_VALUE] = {"modeldata/ignored-value", TENON_INFO,
                                 "a value whose flag selects the default is not stored",
                                 "set the flag to 0 if the value is intended", NULL},
    [MODELDATA_OMITTED_VALUES] =
        {"modeldata/omitted-values", TENON_ERROR,
         "a material stores all values, even if their flag selects the default",
         "convert with --as current", ENGINE},
    [MODELDATA_MAP_SIZE] = {"modeldata/map-size", TENON_ERROR,
                            "the name of a texture has at most 32767 bytes",
                            "shorten the name: the engine reads larger sizes as negative", NULL},
    [MODELDATA_TEXTURE_PATH] = {"modeldata/texture-path", TENON_WARNING,
                                "a texture is in the texture folder or a subfolder",
                                "put the texture there and use its name without a folder", NULL},
    [MODELDATA_TEXTURE_MISSING] = {"modeldata/texture-missing", TENON_WARNING, "textures exist",
                                   "put it there, unless the game uses another folder for textures",
                                   NULL},
    [MODELDATA_TEXTURE_UNUSED] = {"modeldata/texture-unused", TENON_INFO,
                                  "the engine draws all textures of a material",
                                  "remove alpha and reflection maps: the engine does not draw them",
                                  ENGINE},
    [MODELDATA_SHAPE_FAULT] =
        {"modeldata/shape-fault", TENON_ERROR, "the engine can parse the collision shape",
         "replace the shape with --set-shape, or use the convex hull with --clear-shape", NULL},
    [MODELDATA_SHAPE_NONE] =
        {"modeldata/shape-unknown", TENON_WARNING, "a collision shape is one that the engine knows",
         "replace the shape with --set-shape, or use the convex hull with --clear-shape", NULL},
    [MODELDATA_SHAPE_MISREAD] = {"modeldata/shape-misread", TENON_WARNING,
                                 "the engine reads a collision shape as written", NULL, NULL},
    [MODELDATA_SHAPE_SIZE] = {"modeldata/shape-size", TENON_WARNING,
                              "the sizes of a collision shape are positive", NULL, NULL},
    [MODELDATA_TEXT_UTF8] = {"modeldata/text-utf8", TENON_WARNING, "names are UTF-8", NULL, NULL},
    // -- Skeleton
    [MODELDATA_SKELETON_MISSING] =
        {"modeldata/skeleton-missing", TENON_ERROR, "an animated model has a skeleton",
         "add the skeleton, or convert with --as cem, which writes a static model", ENGINE},
    [MODELDATA_ROOT_COUNT] = {"modeldata/root-count", TENON_ERROR,
                              "exactly one joint is a root, with parent -1", NULL, NULL},
    [MODELDATA_JOINT_INDEX] = {"modeldata/joint-index", TENON_ERROR,
                               "every joint has a different index, which is not negative", NULL,
                               NULL},
    [MODELDATA_PARENT_MISSING] = {"modeldata/parent-missing", TENON_ERROR,
                                  "the parent of a joint is the index of a joint, or -1", NULL,
                                  NULL},
    [MODELDATA_PARENT_CYCLE] = {"modeldata/parent-cycle", TENON_ERROR,
                                "no joint is its own ancestor", NULL, NULL},
    [MODELDATA_MATRIX_ROW] = {"modeldata/matrix-row", TENON_WARNING,
                              "the last row of a matrix, its last four numbers, is 0 0 0 1",
                              "store matrices by rows, with the translation at 3, 7 and 11", NULL},
    [MODELDATA_MATRIX_COLUMNS] = {"modeldata/matrix-columns", TENON_ERROR,
                                  "matrices are stored by rows", "convert with --as current-row",
                                  ENGINE},
    [MODELDATA_MATRIX_ORDER] =
        {"modeldata/matrix-order", TENON_INFO, "the matrix order (rows or columns) can be detected",
         "choose one with --from modeldata:current-row or modeldata:current-column", NULL},
    [MODELDATA_JOINT_LIMIT] = {"modeldata/joint-limit", TENON_ERROR,
                               "the index of a joint is less than 50", NULL, ENGINE},
    // -- Animations
    [MODELDATA_ANIMATION_NAME] = {"modeldata/animation-name", TENON_WARNING,
                                  "every animation has a different name",
                                  "rename all but one: the engine uses only the last", NULL},
    [MODELDATA_LIST_COUNT] =
        {"modeldata/list-count", TENON_ERROR,
         "an animation has a list of positions and a list of rotations for each joint",
         "add empty lists up to the largest index of a joint", NULL},
    [MODELDATA_LIST_COUNTS_DIFFER] = {"modeldata/list-counts-differ", TENON_WARNING,
                                      "an animation has the same number of lists of each kind",
                                      NULL, NULL},
    [MODELDATA_LIST_JOINT] = {"modeldata/list-joint", TENON_WARNING,
                              "a list with keys belongs to a joint", NULL, NULL},
    [MODELDATA_KEY_ORDER] = {"modeldata/key-order", TENON_WARNING, "keys are sorted by time",
                             "sort the keys by time", NULL},
    [MODELDATA_ROTATION_ZERO] = {"modeldata/rotation-zero", TENON_ERROR,
                                 "a rotation is not the zero quaternion",
                                 "set it to 0, 0, 0, 1 (identity)", NULL},
    [MODELDATA_ROTATION_UNIT] = {"modeldata/rotation-unit", TENON_WARNING,
                                 "a rotation has the length 1",
                                 "divide the quaternion by its length", NULL},
    [MODELDATA_ROTATION_SIZE] = {"modeldata/rotation-size", TENON_ERROR,
                                 "a rotation has four numbers (a quaternion)",
                                 "convert with --as current", ENGINE},
    [MODELDATA_SCALE_KEYS] = {"modeldata/scale-keys", TENON_INFO,
                              "all scales are 1 (the engine ignores them)", NULL, NULL},
};

void modeldata_check_leftover(tn_check *check, tn_path_text path, const tenon_span *leftover)
{
    if (leftover->size)
        tn_found(check, MODELDATA_LEFTOVER, path, "%" PRIu64 " bytes do not belong to any field",
                 leftover->size);
}

void modeldata_check_characters(tn_check *check, const tenon_modeldata *doc, tn_path_text path,
                                tenon_str name)
{
    if (!(doc->base.dialect->flags & TENON_MODELDATA_CHARACTERS)) return;
    uint64_t characters = modeldata_describe_count_characters(name);
    if (characters == name.size || characters == TENON_ABSENT) return;
    tn_found(check, MODELDATA_CHARACTER_COUNT, path,
             "the size counts %" PRIu64 " characters, which are %" PRIu32 " bytes", characters,
             name.size);
}

void modeldata_check(tn_check *check, const void *any)
{
    const tenon_modeldata *doc = any;
    tn_check_fields(check, doc);
    uint32_t *joints = tn_check_alloc(check, doc->joint_count, MODELDATA_ORDER_SHARE);
    uint32_t *animations = tn_check_alloc(check, doc->animation_count, MODELDATA_ORDER_SHARE);
    if (check->failed) return;
    modeldata_skeleton skeleton = {.by_index =
                                       modeldata_order_make(doc, MODELDATA_JOINTS_BY_INDEX, joints),
                                   .largest_index = -1};
    for (uint32_t i = 0; i < doc->joint_count; i++) {
        int32_t index = doc->joints[i].index;
        if (index >= 0 && index < MODELDATA_KNOWN_COUNT) skeleton.is_known[index] = true;
        if (index > skeleton.largest_index) skeleton.largest_index = index;
    }
    for (uint32_t i = 0; i < doc->mesh_count && tn_check_step(check, 0); i++)
        modeldata_check_mesh(check, doc, i, &skeleton);
    modeldata_check_leftover(check, tn_path("model_leftover"), &doc->model_leftover);
    if (!doc->is_animated) return;
    modeldata_check_skeleton(check, doc, &skeleton);
    for (uint32_t i = 0; i < doc->animation_count && tn_check_step(check, 0); i++)
        modeldata_check_animation(check, doc, i, &skeleton);
    modeldata_order by_name = modeldata_order_make(doc, MODELDATA_ANIMATIONS_BY_NAME, animations);
    for (uint32_t i = 1; i < by_name.count; i++) {
        uint32_t a = by_name.items[i - 1], b = by_name.items[i];
        tenon_str name = doc->animations[b].name;
        if (tn_text_order(doc->animations[a].name, name) != 0) continue;
        char shown[64];
        tn_text_clean(name.data, name.size, shown, sizeof shown);
        tn_found(check, MODELDATA_ANIMATION_NAME, tn_path("animations[%" PRIu32 "].name", b),
                 "'%s' is also the name of animation %" PRIu32, shown, a);
    }
}

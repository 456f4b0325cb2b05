// modeldata_edit.c: sets collision shapes, and merges the animations of two files.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"

#include "core/text/text.h"
#include "document/document.h"
#include "exchange/export_names.h"

#include <inttypes.h>
#include <string.h>

// -- Shapes

bool tenon_modeldata_set_shape(tenon_modeldata *doc, uint32_t mesh, const char *text,
                               tenon_error *err)
{
    tenon_str shape = {text ? text : "", text ? (uint32_t)strlen(text) : 0};
    tn_error_clear(err);
    if (mesh != TENON_NONE && mesh >= doc->mesh_count)
        return tn_error(err, TENON_ERR_VALUE, "mesh %u does not exist; the model has %u meshes",
                        mesh, doc->mesh_count);
    if (shape.size) {
        modeldata_shape parsed = modeldata_parse_shape(shape);
        tn_shown shown = tn_show(shape, 64);
        if (parsed.kind == MODELDATA_SHAPE_UNKNOWN)
            return tn_error(err, TENON_ERR_VALUE, "'%s' is not a collision shape", shown.text);
        if (parsed.fault)
            return tn_error(err, TENON_ERR_VALUE, "'%s' is not a collision shape: %s", shown.text,
                            parsed.fault);
    }
    shape = tn_text_join(&doc->base.owner->arena, shape, (tenon_str){"", 0}, "a shape", err);
    if (!shape.data) return false;
    for (uint32_t i = 0; i < doc->mesh_count; i++)
        if (mesh == TENON_NONE || mesh == i) doc->meshes[i].collision_shape = shape;
    return tn_doc_finalize(&doc->base, err);
}

// -- Skeletons

typedef struct modeldata_merger {
    tenon_modeldata *into;
    const tenon_modeldata *from;
    uint32_t *match;      // For each joint of `from`, the joint of `into`.
    uint32_t list_count;  // Lists of each kind that an animation of `into` needs.
    uint64_t angles, unused_lists, leftover_bytes;
    tenon_error *err;
} modeldata_merger;

static bool modeldata_refuse_joint(const modeldata_merger *merger, tenon_str name, const char *why)
{
    return tn_error(merger->err, TENON_ERR_UNSUPPORTED, "the skeletons do not match: joint '%s' %s",
                    tn_show(name, 64).text, why);
}

static bool modeldata_match_skeletons(modeldata_merger *merger)
{
    const tenon_modeldata *into = merger->into, *from = merger->from;
    uint32_t count = into->joint_count;
    if (!into->is_animated || !from->is_animated)
        return tn_error(merger->err, TENON_ERR_UNSUPPORTED,
                        "only animated models can be merged, but one is static");
    if (count != from->joint_count)
        return tn_error(merger->err, TENON_ERR_UNSUPPORTED,
                        "the skeletons do not match: the numbers of joints are %u and %u", count,
                        from->joint_count);
    typedef struct joint_name {
        tn_named named;
        bool is_taken;
    } joint_name;
    uint32_t *memory =
        tn_doc_alloc(&into->base, 2 * (uint64_t)count, MODELDATA_ORDER_SHARE, merger->err);
    joint_name *names = tn_doc_alloc(&into->base, count, sizeof *names, merger->err);
    merger->match = tn_doc_alloc(&into->base, count, sizeof *merger->match, merger->err);
    if (!memory || !names || !merger->match) return false;
    tn_name_tree tree = {0};
    for (uint32_t i = 0; i < count; i++) {
        names[i].named.name = into->joints[i].name;
        (void)tn_name_enter(&tree, &names[i].named);
    }
    for (uint32_t i = 0; i < count; i++) {
        tenon_str name = from->joints[i].name;
        joint_name *other = (joint_name *)tn_name_find(&tree, name);
        if (!other) return modeldata_refuse_joint(merger, name, "is in only one of the files");
        if (other->is_taken) return modeldata_refuse_joint(merger, name, "occurs twice");
        other->is_taken = true;
        merger->match[i] = (uint32_t)(other - names);
    }
    // Lists of keys refer to joints by index, so each index must be unique.
    const modeldata_order by_index[] = {modeldata_sort_joints(into, memory),
                                        modeldata_sort_joints(from, memory + 2 * (size_t)count)};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 1; i < count; i++) {
            const tenon_modeldata_joint *joints = by_index[k].doc->joints;
            const tenon_modeldata_joint *a = &joints[by_index[k].items[i - 1]];
            const tenon_modeldata_joint *b = &joints[by_index[k].items[i]];
            if (a->index == b->index)
                return modeldata_refuse_joint(merger, b->name,
                                              "has the same index as another joint");
        }
    // The names match. The skeletons are equal if the parents match as well.
    for (uint32_t i = 0; i < count; i++) {
        const tenon_modeldata_joint *a = &from->joints[i];
        const tenon_modeldata_joint *b = &into->joints[merger->match[i]];
        if (a->parent_index == -1 && b->parent_index == -1) continue;
        uint32_t other = modeldata_find_joint(&by_index[0], b->parent_index);
        uint32_t parent = modeldata_find_joint(&by_index[1], a->parent_index);
        if (parent == TENON_NONE || other == TENON_NONE || merger->match[parent] != other)
            return modeldata_refuse_joint(merger, a->name, "has a different parent");
    }
    for (uint32_t i = 0; i < count; i++) {
        int32_t index = into->joints[i].index;
        if (index < 0)
            return modeldata_refuse_joint(merger, into->joints[i].name, "has a negative index");
        if ((uint32_t)index >= merger->list_count) merger->list_count = (uint32_t)index + 1;
    }
    return true;
}

// -- Animations

static bool modeldata_add_animations(modeldata_merger *merger)
{
    tenon_modeldata *into = merger->into;
    uint32_t old = into->animation_count;
    uint64_t count = (uint64_t)old + merger->from->animation_count;
    if (count > UINT32_MAX)
        return tn_error(merger->err, TENON_ERR_UNSUPPORTED,
                        "the merged model would have too many animations (%" PRIu64 ")", count);
    tenon_modeldata_animation *list = tn_doc_alloc(&into->base, count, sizeof *list, merger->err);
    if (!list) return false;
    if (old) memcpy(list, into->animations, old * sizeof *list);
    bool are_degrees = modeldata_angles_are_degrees(merger->from);
    for (uint32_t i = 0; i < merger->from->animation_count; i++) {
        const tenon_modeldata_animation *a = &merger->from->animations[i];
        tenon_modeldata_animation *copy = &list[old + i];
        modeldata_lists from[MODELDATA_LIST_KINDS], to[MODELDATA_LIST_KINDS];
        modeldata_describe_lists(a, from);
        modeldata_describe_lists(copy, to);
        copy->rotation_size = a->rotation_size;
        copy->name = tn_text_join(&into->base.owner->arena, a->name, (tenon_str){"", 0},
                                  "an animation", merger->err);
        if (!copy->name.data) return false;
        for (int k = 0; k < MODELDATA_LIST_KINDS; k++) {
            tenon_modeldata_keys *lists =
                tn_doc_alloc(&into->base, merger->list_count, sizeof *lists, merger->err);
            if (!lists) return false;
            *to[k].count = merger->list_count;
            *to[k].lists = lists;
            // Copy the list of every joint to the index that the joint has in `into`.
            uint32_t used = 0, all = 0;
            for (uint32_t n = 0; n < merger->from->joint_count; n++) {
                uint32_t index = (uint32_t)merger->from->joints[n].index;
                if (index >= *from[k].count) continue;
                tenon_span keys = (*from[k].lists)[index].keys;
                uint8_t *bytes = tn_doc_alloc(&into->base, keys.size, 1, merger->err);
                if (!bytes) return false;
                if (keys.size) memcpy(bytes, keys.data, (size_t)keys.size);
                keys.data = bytes;
                lists[into->joints[merger->match[n]].index].keys = keys;
                used += keys.count > 0;
            }
            for (uint32_t n = 0; n < *from[k].count; n++) all += (*from[k].lists)[n].keys.count > 0;
            if (all > used) merger->unused_lists += all - used;
        }
        if (!modeldata_convert_angles(copy, are_degrees, &into->base.owner->arena, merger->err))
            return false;
        merger->angles += a->rotation_size == 3;
        merger->leftover_bytes += a->leftover.size;
    }
    into->animations = list;
    into->animation_count = (uint32_t)count;
    return true;
}

// -- Losses

static bool modeldata_same_material(const tenon_modeldata_mesh *a, const tenon_modeldata_mesh *b)
{
    modeldata_value x[MODELDATA_VALUE_COUNT], y[MODELDATA_VALUE_COUNT];
    if (!a->material_size || !b->material_size) return a->material_size == b->material_size;
    modeldata_values(&a->material, x);
    modeldata_values(&b->material, y);
    for (int i = 0; i < MODELDATA_VALUE_COUNT; i++)
        if (*x[i].flag != *y[i].flag || memcmp(x[i].v, y[i].v, x[i].count * sizeof *x[i].v) != 0)
            return false;
    for (int i = 0; i < TENON_MODELDATA_MAP_COUNT; i++)
        if (!tn_text_equal(a->material.maps[i], b->material.maps[i])) return false;
    return true;
}

bool modeldata_edit_merge(void *opaque, tenon_doc *other, const tenon_merge_opts *opts,
                          tenon_error *err)
{
    tenon_modeldata *into = opaque;
    const tenon_modeldata *from = tenon_as_modeldata(other);
    modeldata_merger merger = {.into = into, .from = from, .err = err};
    uint32_t old = into->animation_count;
    if (!modeldata_match_skeletons(&merger) || !modeldata_add_animations(&merger)) return false;
    // The engine finds only the last of several animations with the same name, so animations that
    // are added get unique names: the name from the options with a number, or their name with a
    // number.
    uint64_t renamed = 0;
    tn_name_set taken = {.arena = &into->base.owner->arena};
    bool *is_double = tn_doc_alloc(&into->base, into->animation_count, 1, err);
    if (!is_double) return false;
    for (uint32_t i = 0; i < into->animation_count; i++) {
        tenon_str name = into->animations[i].name;
        is_double[i] = tn_name_find(&taken.tree, name) != NULL;
        if (!tn_names_reserve(&taken, name)) return tn_names_fail(&taken, err);
    }
    for (uint32_t i = old; i < into->animation_count; i++) {
        if (!is_double[i]) continue;
        tenon_str start = into->animations[i].name;
        if (opts->name) start = (tenon_str){opts->name, (uint32_t)strlen(opts->name)};
        const char *name = tn_names_take(&taken, start, "");
        if (!name) return tn_names_fail(&taken, err);
        // A name in a file may contain a NUL, but not the number after it.
        into->animations[i].name =
            (tenon_str){name, start.size + (uint32_t)strlen(name + start.size)};
        renamed++;
    }
    const tenon_change_opts change_opts = {.events = opts->events};
    const tn_change change = {.opts = &change_opts};
    static const char first_only[] = "only those of the first file are kept";
    uint64_t meshes = 0, materials = 0, shapes = 0, poses = 0;
    for (uint32_t i = 0; i < from->mesh_count; i++) {
        const tenon_modeldata_mesh *a = &from->meshes[i], *b = &into->meshes[i];
        bool is_same = i < into->mesh_count;
        for (int k = 0; k < TENON_MODELDATA_ARRAY_COUNT && is_same; k++) {
            const tenon_span *x = &a->arrays[k], *y = &b->arrays[k];
            is_same =
                x->size == y->size && (!x->size || memcmp(x->data, y->data, (size_t)x->size) == 0);
        }
        meshes += !is_same;
        if (!is_same) continue;
        materials += !modeldata_same_material(a, b);
        shapes += !tn_text_equal(a->collision_shape, b->collision_shape);
    }
    for (uint32_t i = 0; i < from->joint_count; i++) {
        const tenon_modeldata_joint *a = &from->joints[i], *b = &into->joints[merger.match[i]];
        size_t size = sizeof a->bind_local_pose;
        poses += memcmp(a->bind_local_pose, b->bind_local_pose, size) != 0 ||
                 memcmp(a->inverse_bind_matrix, b->inverse_bind_matrix, size) != 0;
    }
    tn_change_report(&change, TENON_DROPPED, "meshes", meshes, first_only);
    tn_change_report(&change, TENON_DROPPED, "materials", materials, first_only);
    tn_change_report(&change, TENON_DROPPED, "shapes", shapes, first_only);
    tn_change_report(&change, TENON_DROPPED, "bind poses", poses, first_only);
    tn_change_report(&change, TENON_DROPPED, "lists of keys", merger.unused_lists,
                     "they do not belong to any joint");
    tn_change_report(&change, TENON_APPROXIMATED, "rotations of three numbers", merger.angles,
                     modeldata_angles_text(modeldata_angles_are_degrees(from)));
    tn_change_report(&change, TENON_DROPPED, "leftover bytes", merger.leftover_bytes,
                     "they do not belong to any field");
    tn_change_report(&change, TENON_APPROXIMATED, "names of animations", renamed,
                     "already used by other animations");
    return tn_doc_finalize(&into->base, err);
}

// fbx_import_extras.c: what users and programs have added to objects, as extras by name.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import.h"

#include "core/text/number.h"
#include "core/text/text.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 256, VALUE_MOST = 512, NUMBERS_MOST = 16 };

// The values of a property: a text, or numbers with blanks between them. "" if there are none.
static tenon_str fbx_import_extras_value(const tenon_fbx_node *property, char out[VALUE_MOST])
{
    uint32_t start = fbx_property_start(property), size = 0;
    const tenon_fbx_value *first = fbx_value(property, start);
    if (first && first->code == 'S') return first->text;
    for (uint32_t i = start; i < property->value_count && i < start + NUMBERS_MOST; i++) {
        const tenon_fbx_value *value = &property->values[i];
        if (!value->code || !strchr("BCYILFD", value->code)) break;
        if (i > start) out[size++] = ' ';
        if (value->code == 'F')
            size += (uint32_t)tn_f32_text(value->single, out + size);
        else if (value->code == 'D')
            size += (uint32_t)tn_f64_text(value->number, out + size);
        else
            size += (uint32_t)tn_i64_text(value->integer, out + size);
    }
    return (tenon_str){out, size};
}

// Whether users made it: the flags have a U.
static bool fbx_import_extras_is_of_user(const tenon_fbx_node *property)
{
    tenon_str flags = fbx_text(property, fbx_property_start(property) - 1);
    return flags.size && memchr(flags.data, 'U', flags.size);
}

void fbx_import_extra(fbx_importer *importer, tenon_extra_of of, uint32_t index,
                      const tenon_fbx_node *property)
{
    char name[NAME_MOST], value[VALUE_MOST];
    tenon_str key = fbx_text(property, 0);
    tenon_str text = fbx_import_extras_value(property, value);
    if (!text.size || !key.size || key.size >= sizeof name || memchr(key.data, 0, key.size)) return;
    memcpy(name, key.data, key.size);
    name[key.size] = '\0';
    tn_add_extra(importer->builder, of, index, name, text);
}

// The properties of an object that users made.
static void fbx_import_extras_of(fbx_importer *importer, uint32_t object, uint32_t node)
{
    const tenon_fbx_node *list = importer->objects[object].properties;
    for (uint32_t i = 0; list && i < list->child_count && !importer->builder->failed; i++)
        if (fbx_import_extras_is_of_user(&list->children[i]))
            fbx_import_extra(importer, TENON_EXTRA_OF_NODE, node, &list->children[i]);
}

// A group of levels of detail: the number of each level, and the distances at which they change.
static void fbx_import_extras_levels(fbx_importer *importer, const fbx_model *model,
                                     uint32_t attribute)
{
    fbx_links links = fbx_import_children(importer, model->object);
    uint32_t level = 0;
    char number[16];
    for (uint32_t i = 0; i < links.count && !importer->builder->failed; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        const fbx_object *child = &importer->objects[link->child];
        if (child->kind != FBX_MODEL || link->property.size) continue;
        int size = snprintf(number, sizeof number, "%u", (unsigned)level++);
        tn_add_extra(importer->builder, TENON_EXTRA_OF_NODE, importer->models[child->index].node,
                     "lod", (tenon_str){number, (uint32_t)size});
    }
    fbx_import_count(importer, FBX_UNREAD_LEVELS, level > 1 ? level : 0, model->object);
    const tenon_fbx_node *list =
        attribute == TENON_NONE ? NULL : importer->objects[attribute].properties;
    for (uint32_t i = 0; list && i < list->child_count && !importer->builder->failed; i++) {
        static const char start[] = "Thresholds";
        tenon_str name = fbx_text(&list->children[i], 0);
        if (name.size >= sizeof start - 1 && memcmp(name.data, start, sizeof start - 1) == 0)
            fbx_import_extra(importer, TENON_EXTRA_OF_NODE, model->node, &list->children[i]);
    }
}

void fbx_import_extras(fbx_importer *importer)
{
    for (uint32_t i = 0; i < importer->model_count && !importer->builder->failed; i++) {
        const fbx_model *model = &importer->models[i];
        uint32_t attribute = fbx_import_child_of(importer, model->object, FBX_ATTRIBUTE);
        bool has_levels = tn_text_is(importer->objects[model->object].type, "LodGroup");
        fbx_import_extras_of(importer, model->object, model->node);
        if (attribute != TENON_NONE) {
            // Before version 7 it is the model itself.
            bool is_same =
                importer->objects[attribute].node == importer->objects[model->object].node;
            if (!is_same) fbx_import_extras_of(importer, attribute, model->node);
            has_levels = has_levels || tn_text_is(importer->objects[attribute].type, "LodGroup");
        }
        if (has_levels) fbx_import_extras_levels(importer, model, attribute);
    }
}

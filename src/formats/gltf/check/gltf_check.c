// gltf_check.c: the rules for glTF; checks of the container, the version and extensions.
// SPDX-License-Identifier: MIT

#include "formats/gltf/check/gltf_check.h"

#include "core/text/text.h"
#include "formats/gltf/gltf_format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const tenon_rule gltf_rules[RULE_COUNT] = {
    {"gltf/chunk", TENON_ERROR,
     "chunk sizes are multiples of 4, the first chunk is JSON, and no type occurs twice", NULL,
     NULL},
    {"gltf/chunk-unknown", TENON_WARNING, "chunk types are known", NULL, NULL},
    {"gltf/text", TENON_ERROR, "the JSON is one object, without duplicate keys", NULL, NULL},
    {"gltf/version", TENON_ERROR, "the version is 2.x", NULL, NULL},
    {"gltf/version-unknown", TENON_WARNING, "the version is 2.0", NULL, NULL},
    {"gltf/extension", TENON_ERROR,
     "extensions are listed in 'extensionsUsed' and used only on objects that allow them",
     "add the name to 'extensionsUsed'", NULL},
    {"gltf/extension-unknown", TENON_INFO, "extensions are known", NULL, NULL},
    {"gltf/type", TENON_ERROR, "values have the types of the specification", NULL, NULL},
    {"gltf/missing", TENON_ERROR, "required members exist", NULL, NULL},
    {"gltf/value", TENON_ERROR, "values are within their ranges", NULL, NULL},
    {"gltf/choice", TENON_WARNING, "enumerated values are valid", NULL, NULL},
    {"gltf/size", TENON_ERROR, "arrays have the required number of items and are not empty",
     "remove empty arrays and objects", NULL},
    {"gltf/index", TENON_ERROR, "indices refer to objects that exist", NULL, NULL},
    {"gltf/duplicate", TENON_ERROR, "nothing is listed twice", "remove the second", NULL},
    {"gltf/member", TENON_WARNING, "every member is defined in the specification",
     "put application-specific data into 'extras'", NULL},
    {"gltf/uri", TENON_WARNING, "URIs are relative paths, and GLB stores data in its chunk", NULL,
     NULL},
    {"gltf/bytes", TENON_ERROR, "buffers, views and accessors are within the available bytes", NULL,
     NULL},
    {"gltf/placeholder", TENON_INFO, "the data of buffers is available", NULL, NULL},
    {"gltf/alignment", TENON_ERROR, "offsets and strides are multiples of the component size", NULL,
     NULL},
    {"gltf/bounds", TENON_ERROR, "'min' and 'max' match the data", NULL, NULL},
    {"gltf/not-finite", TENON_ERROR, "numbers are finite", NULL, NULL},
    {"gltf/use", TENON_ERROR, "accessors and views have one purpose each, which matches 'target'",
     "use a separate view for each purpose", NULL},
    {"gltf/picture", TENON_ERROR,
     "pictures are complete, and their type is allowed and matches 'mimeType'", NULL, NULL},
    {"gltf/picture-missing", TENON_ERROR, "every picture file exists", NULL, NULL},
    {"gltf/picture-unknown", TENON_WARNING, "picture types are known", NULL, NULL},
    {"gltf/tree", TENON_ERROR,
     "a node has at most one parent, the hierarchy has no cycle, and scenes list root nodes", NULL,
     NULL},
    {"gltf/transform", TENON_ERROR,
     "a transform is either a matrix or translation, rotation and scale; "
     "rotations have length 1",
     NULL, NULL},
    {"gltf/attribute", TENON_ERROR, "attributes have the specified types and equal counts", NULL,
     NULL},
    {"gltf/index-range", TENON_ERROR, "vertex indices are less than the number of vertices", NULL,
     NULL},
    {"gltf/unit", TENON_ERROR, "normals and tangents have length 1", NULL, NULL},
    {"gltf/weights", TENON_ERROR,
     "weights are not negative, sum to 1, and refer to joints that exist", NULL, NULL},
    {"gltf/joint-twice", TENON_ERROR, "a vertex has at most one weight for each joint",
     "replace the weights by their sum", NULL},
    {"gltf/skin", TENON_ERROR,
     "skins have a matrix for each joint, and a mesh with joints and weights", NULL, NULL},
    {"gltf/skeleton", TENON_ERROR,
     "joints have a common root, are descendants of 'skeleton', and are in "
     "the same scene as the mesh",
     NULL, NULL},
    {"gltf/keys", TENON_ERROR,
     "key times are not negative and increase, values match them, and each "
     "target is animated once",
     NULL, NULL},
    {"gltf/no-effect", TENON_WARNING, "every property has an effect", "remove it", NULL},
    {"gltf/implausible", TENON_WARNING, "values are plausible", NULL, NULL},
    {"gltf/unreadable", TENON_ERROR, "the file can be read as a scene", NULL, NULL},
};

// -- Findings

// Report a finding with its offset in the file, which cannot be found from its JSON pointer.
static void gltf_check_found_at(gltf_checker *checker, const char *rule, uint64_t offset,
                                const char *path, const char *message)
{
    const tn_found_item *before = checker->check->found;
    tn_found(checker->check, rule, tn_path("%s", path), "%s", message);
    uint32_t number = tn_rule_named(checker->check, rule);
    checker->errors += number != TENON_NONE && gltf_rules[number].severity == TENON_ERROR;
    if (checker->check->found != before) checker->check->found->offset = offset;
}

void gltf_check_found(gltf_checker *checker, const char *rule, const tn_json_value *node,
                      const char *fmt, ...)
{
    char message[192], path[160];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    gltf_import_pointer(node, path, sizeof path);
    checker->choices += strcmp(rule, "choice") == 0;
    gltf_check_found_at(checker, rule, checker->importer.text_offset + (node ? node->offset : 0),
                        path, message);
}

void gltf_check_clear_failure(gltf_checker *checker)
{
    if (!checker->builder.failed) return;
    bool is_memory = checker->err.code == TENON_ERR_MEMORY || checker->err.code == TENON_ERR_LIMIT;
    if (checker->err.code == TENON_ERR_MEMORY) checker->check->failed = true;
    if (is_memory) return;  // The check cannot continue.
    checker->builder.failed = false;
    tn_error_clear(&checker->err);
}

bool gltf_check_report_failure(gltf_checker *checker, const char *rule)
{
    if (!checker->builder.failed) return false;
    bool is_memory = checker->err.code == TENON_ERR_MEMORY || checker->err.code == TENON_ERR_LIMIT;
    // Without the path of the model, sidecar files cannot be found.
    bool is_unseen = checker->err.code == TENON_ERR_IO && !checker->check->opts->model_path;
    uint64_t offset =
        checker->err.offset == TENON_ABSENT ? checker->importer.text_offset : checker->err.offset;
    if (!is_memory && !is_unseen)
        gltf_check_found_at(checker, rule, offset, checker->err.path, checker->err.message);
    gltf_check_clear_failure(checker);
    return true;
}

// -- The container

static void gltf_check_container(gltf_checker *checker)
{
    const tenon_gltf *doc = checker->importer.doc;
    uint64_t offset = 12;
    for (uint32_t i = 0; i < doc->chunk_count; i++) {
        const tenon_gltf_chunk *chunk = &doc->chunks[i];
        bool is_json = chunk->type == TENON_GLTF_CHUNK_JSON;
        bool is_bin = chunk->type == TENON_GLTF_CHUNK_BIN;
        char path[32], message[64];
        (void)snprintf(path, sizeof path, "chunks[%" PRIu32 "]", i);
        (void)snprintf(message, sizeof message, "its size is %" PRIu32, chunk->length);
        if (chunk->length % 4) gltf_check_found_at(checker, "chunk", offset, path, message);
        (void)snprintf(message, sizeof message, "its type is 0x%08" PRIx32, chunk->type);
        if (is_json != (i == 0) || (is_bin && i != 1))
            gltf_check_found_at(checker, "chunk", offset, path, message);
        else if (!is_json && !is_bin)
            gltf_check_found_at(checker, "chunk-unknown", offset, path, message);
        offset += 8 + (uint64_t)chunk->length;
    }
    bool is_text = doc->base.dialect->flags & TENON_GLTF_TEXT;
    if (!is_text && doc->chunk_count == 0)
        gltf_check_found_at(checker, "chunk", 0, "", "the file has no chunks");
    if (doc->leftover.size)
        gltf_check_found_at(checker, "chunk", offset, "leftover",
                            "the bytes after the last chunk are too few for another chunk");
}

// -- Versions

static void gltf_check_version(gltf_checker *checker)
{
    const tn_json_value *asset = tn_json_tree_get(checker->importer.tree.root, "asset");
    const tn_json_value *values[] = {tn_json_tree_get(asset, "version"),
                                     tn_json_tree_get(asset, "minVersion")};
    uint32_t major[2], minor[2];
    bool is_version[2];
    for (int i = 0; i < 2; i++) {
        bool is_text = tn_json_tree_kind_of(values[i]) == TN_TREE_STRING;
        tenon_str text = is_text ? (tenon_str){values[i]->text, values[i]->size} : (tenon_str){0};
        char shown[32];
        is_version[i] = is_text && gltf_import_parse_version(text, &major[i], &minor[i]);
        if (!is_text || is_version[i]) continue;
        tn_text_clean(text.data, text.size, shown, sizeof shown);
        gltf_check_found(checker, "version", values[i], "'%s' is not a version such as 2.0", shown);
    }
    if (is_version[0] && major[0] != 2)
        gltf_check_found(checker, "version", values[0],
                         "unknown glTF version '%" PRIu32 ".%" PRIu32 "', expected 2.0", major[0],
                         minor[0]);
    else if (is_version[0] && minor[0] != 0)
        gltf_check_found(checker, "version-unknown", values[0],
                         "unknown glTF version '2.%" PRIu32 "': the file is checked as 2.0",
                         minor[0]);
    if (is_version[0] && is_version[1] &&
        (major[1] > major[0] || (major[1] == major[0] && minor[1] > minor[0])))
        gltf_check_found(checker, "version", values[1], "'minVersion' is greater than 'version'");
}

// -- Extensions

static void gltf_check_extensions(gltf_checker *checker)
{
    static const char *const lists[] = {"extensionsUsed", "extensionsRequired"};
    for (int k = 0; k < 2; k++) {
        const tn_json_value *list = tn_json_tree_get(checker->importer.tree.root, lists[k]);
        for (uint32_t i = 0; i < tn_json_tree_count(list) && i < GLTF_EXTENSIONS_MOST; i++) {
            const tn_json_value *item = tn_json_tree_at(list, i);
            tenon_str name = {item->text, item->size};
            const gltf_member *members;
            char shown[64];
            if (tn_json_tree_kind_of(item) != TN_TREE_STRING) continue;
            if (gltf_import_is_among(list, i, name))
                gltf_check_found(checker, "duplicate", item, "it is already in the list");
            if (k == 1 && !gltf_import_lists_extension(&checker->importer, lists[0], name))
                gltf_check_found(checker, "extension", item,
                                 "it is required, but not listed in 'extensionsUsed'");
            if (k == 1 || gltf_schema_find_extension(name, NULL, &members)) continue;
            tn_text_clean(name.data, name.size, shown, sizeof shown);
            gltf_check_found(checker, "extension-unknown", item,
                             "'%s' is unknown: its content is not checked", shown);
        }
    }
    const tenon_str quantization = {"KHR_mesh_quantization", 21};
    checker->is_quantized = gltf_import_lists_extension(&checker->importer, lists[0], quantization);
    if (checker->is_quantized &&
        !gltf_import_lists_extension(&checker->importer, lists[1], quantization))
        gltf_check_found(checker, "extension",
                         tn_json_tree_get(checker->importer.tree.root, lists[0]),
                         "%s must also be in 'extensionsRequired'", quantization.data);
}

// -- Everything

// If there are no other errors, the import must succeed. Decoding numbers cannot fail and takes
// longer than all rules together, so it is skipped.
static void gltf_check_import(gltf_checker *checker, const tenon_scene_opts *opts)
{
    const gltf_importer *checked = &checker->importer;
    tn_scene_builder builder;
    tenon_error err;
    // The import may refuse an enumerated value that is not valid.
    if (checker->errors || checker->choices) return;
    tn_error_clear(&err);
    if (tn_scene_begin(&builder, opts, checked->doc->base.source_size, &err)) {
        gltf_importer importer = {.builder = &builder,
                                  .doc = checked->doc,
                                  .is_text = checked->is_text,
                                  .is_trial = true,
                                  .text_offset = checked->text_offset,
                                  .tree = checked->tree};
        importer.scratch = tn_arena_make(&opts->allocator, builder.arena->limit);
        gltf_import_tree(&importer);
        gltf_import_free_buffers(&importer);
        tn_arena_free(&importer.scratch);
        tn_scene_free(builder.scene);
        if (!builder.failed) return;
    }
    if (err.code == TENON_ERR_MEMORY) checker->check->failed = true;
    bool is_ours = err.code != TENON_ERR_LIMIT && err.code != TENON_ERR_MEMORY &&
                   err.code != TENON_ERR_IO && err.code != TENON_ERR_UNSUPPORTED &&
                   err.code != TENON_ERR_VERSION;
    if (is_ours)
        gltf_check_found_at(checker, "unreadable", err.offset == TENON_ABSENT ? 0 : err.offset,
                            err.path, err.message);
}

void gltf_check(tn_check *check, const void *doc)
{
    tenon_scene_opts opts = {.allocator = check->opts->allocator,
                             .model_path = check->opts->model_path,
                             .files = check->opts->files};
    gltf_checker checker = {.check = check};
    if (!tn_scene_begin(&checker.builder, &opts, ((const tenon_doc *)doc)->source_size,
                        &checker.err)) {
        check->failed = true;
        return;
    }
    checker.importer = (gltf_importer){.builder = &checker.builder, .doc = doc};
    checker.importer.scratch = tn_arena_make(&opts.allocator, checker.builder.arena->limit);
    gltf_check_container(&checker);
    if (gltf_import_begin(&checker.importer)) {
        gltf_check_version(&checker);
        gltf_check_extensions(&checker);
        gltf_check_values(&checker);
        // The other rules need arrays of objects. Arrays with other items are already reported.
        if (!check->failed && gltf_import_lists(&checker.importer)) {
            gltf_check_bytes(&checker);
            if (!checker.builder.failed) gltf_check_images(&checker);
            if (!checker.builder.failed) gltf_check_meshes(&checker);
            if (!checker.builder.failed) gltf_check_objects(&checker);
        }
        if (checker.builder.failed && checker.err.code == TENON_ERR_LIMIT)
            gltf_check_found_at(&checker, "unreadable", checker.importer.text_offset,
                                checker.err.path, checker.err.message);
        gltf_check_clear_failure(&checker);
        gltf_check_import(&checker, &opts);
    } else {
        gltf_check_report_failure(&checker, "text");
    }
    gltf_import_free_buffers(&checker.importer);
    tn_arena_free(&checker.importer.scratch);
    tn_scene_free(checker.builder.scene);
}

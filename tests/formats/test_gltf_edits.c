// test_gltf_edits.c: one edit to a glTF file without faults, and how its scene changes: a refusal
// that says where, and with `salvage` everything that the edit does not touch.
// SPDX-License-Identifier: MIT

#include "gltf_edit_help.h"
#include "scene/model/kept.h"

#include <tenon/scene.h>

// -- Refusals

typedef struct reported {
    uint64_t losses, damages;
    char features[8][48];  // Of the first findings of damage.
} reported;

static void note_loss(void *user, const tenon_loss *loss)
{
    reported *t = user;
    t->losses++;
    if (loss->is_damage && t->damages < 8)
        snprintf(t->features[t->damages], sizeof t->features[0], "%s", loss->feature);
    t->damages += loss->is_damage;
}

static tenon_scene *scene_of(const blob *file, bool salvage, reported *t, tenon_error *err)
{
    tenon_scene_opts opts = {.salvage = salvage,
                             .events = {.user = t, .on_loss = t ? note_loss : NULL}};
    tenon_read_opts read = {.format = "gltf", .partial = salvage, .incomplete = salvage};
    tenon_doc *doc = tenon_read(file->data, file->size, &read, err);
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, err) : NULL;
    tenon_doc_free(doc);
    if (scene) tn_report_kept(scene, NULL, &opts.events);  // Of exports to other formats.
    return scene;
}

// An edit, how it is refused, and what is then left out by salvage.
typedef struct refusal {
    const char *from, *to;
    const char *path, *words;
    const char *feature;
} refusal;

static void check_refused(const blob *file, const refusal *r)
{
    tenon_error err = {0};
    tenon_scene *scene = scene_of(file, false, NULL, &err);
    bool is_right = !scene && strcmp(err.path, r->path) == 0 && strstr(err.message, r->words);
    if (!is_right)
        fprintf(stderr, "'%s': %s: %s\n", r->to, scene ? "is a scene" : err.path, err.message);
    CHECK(is_right && err.offset < file->size && err.line > 0);
    tenon_scene_free(scene);
}

static void check_salvaged(const blob *file, const refusal *r)
{
    reported t = {0};
    tenon_error err = {0};
    tenon_scene *scene = scene_of(file, true, &t, &err);
    bool is_right = scene && tenon_scene_check(scene, &err) && t.damages > 0 &&
                    strcmp(t.features[0], r->feature) == 0;
    if (!is_right) fprintf(stderr, "'%s': '%s' lost: %s\n", r->to, t.features[0], err.message);
    CHECK(is_right);
    tenon_scene_free(scene);
    tenon_scene_free(scene_of(file, true, NULL, &err));  // A callback is optional.
}

static void check_refusals(const refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        blob file = edited_gltf(&(gltf_edit){.from = cases[i].from, .to = cases[i].to});
        check_refused(&file, &cases[i]);
        if (cases[i].feature) check_salvaged(&file, &cases[i]);
        blob_free(&file);
    }
}

#define CHECK_REFUSALS(cases) check_refusals(cases, sizeof cases / sizeof cases[0])

TEST(the_file_that_is_edited_is_a_scene)
{
    reported t = {0};
    tenon_error err;
    blob file = edited_gltf(&(gltf_edit){.from = NULL});
    tenon_scene *s = scene_of(&file, false, &t, &err);
    CHECK(s && tenon_scene_check(s, &err));
    CHECK(s && s->node_count == 6 && s->mesh_count == 1 && s->skin_count == 1);
    CHECK(s && s->camera_count == 2 && s->light_count == 1 && s->animation_count == 1);
    CHECK(s && s->animations[0].channel_count == 3 && t.damages == 0);
    tenon_scene_free(s);
    blob_free(&file);
}

TEST(invalid_cameras_and_lights_are_refused)
{
    static const refusal cases[] = {
        {"'type':'perspective'", "'type':'wide'", "/cameras/0/type", "must be 'perspective' or",
         "cameras"},
        {"'type':'orthographic',", "", "/cameras/1", "must be 'perspective' or", "cameras"},
        {"'perspective':{'yfov':1,'znear':0.5,'zfar':9}", "'perspective':[]",
         "/cameras/0/perspective", "must be an object, but is an array", "cameras"},
        {"'yfov':1", "'yfov':1e999", "/cameras/0/perspective/yfov", "is too large", "cameras"},
        {"'type':'spot',", "'type':'lamp',", "/extensions/KHR_lights_punctual/lights/0/type",
         "must be", "lights"},
        {"'type':'spot',", "", "/extensions/KHR_lights_punctual/lights/0", "must be", "lights"},
        {"'color':[1,1,0.5]", "'color':[1,1]", "/extensions/KHR_lights_punctual/lights/0/color",
         "must be an array of 3 numbers", "lights"},
    };
    CHECK_REFUSALS(cases);
}

TEST(invalid_materials_are_refused)
{
    static const refusal cases[] = {
        {"'alphaMode':'MASK'", "'alphaMode':'MASKED'", "/materials/0/alphaMode",
         "must be OPAQUE, MASK or BLEND", "materials"},
        {"'wrapS':10497", "'wrapS':10498", "/samplers/0/wrapS", "not 10498", "materials"},
        {"'normalTexture':{'index':0,'scale':2}", "'normalTexture':{'scale':2}",
         "/materials/0/normalTexture", "'normalTexture' needs 'index'", "materials"},
        {"'normalTexture':{'index':0,'scale':2}", "'normalTexture':{'index':9}",
         "/materials/0/normalTexture/index", "index 9, but there are 1", "materials"},
        {"'source':0", "'source':7", "/textures/0/source", "index 7, but there are 1", "materials"},
        {"'sampler':0}],", "'sampler':7}],", "/textures/0/sampler", "index 7", "materials"},
        {"'roughnessFactor':0.5", "'roughnessFactor':'0.5'",
         "/materials/0/pbrMetallicRoughness/roughnessFactor", "must be a number", "materials"},
        {"'doubleSided':true", "'doubleSided':1", "/materials/0/doubleSided", "must be",
         "materials"},
        {"base64,iVBORw0KGgo", "base64,@", "/images/0/uri", "", "materials"},
        {"data:image/png;base64,iVBORw0KGgo", "data:image/png;base64;iVBORw0KGgo", "/images/0/uri",
         "a data URI must start with", "materials"},
    };
    CHECK_REFUSALS(cases);
}

TEST(invalid_meshes_are_refused)
{
    static const refusal cases[] = {
        {"'primitives':[{'attributes'", "'parts':[{'attributes'", "/meshes/0",
         "a mesh needs 'primitives'", "meshes"},
        {"'primitives':[{'attributes'", "'primitives':[{'streams'", "/meshes/0/primitives/0",
         "attributes", "parts of meshes"},
        {"'mode':4", "'mode':7", "/meshes/0/primitives/0", "mode", "parts of meshes"},
        {"'NORMAL':1", "'NORMAL':8,'COLOR_1':11", "/accessors/11/count",
         "6 elements, but there are 3 vertices", "parts of meshes"},
        {"'NORMAL':1", "'NORMAL':3", "/accessors/3/type", "VEC3", "parts of meshes"},
        {"'NORMAL':1", "'NORMAL':44", "/meshes/0/primitives/0/attributes/NORMAL", "index 44",
         "parts of meshes"},
        {"'WEIGHTS_0':6", "'WEIGHTS_0':11", "/accessors/11/count",
         "6 elements, but there are 3 vertices", "parts of meshes"},
        {"'JOINTS_0':5", "'JOINTS_0':6", "/accessors/6", "", "parts of meshes"},
        {"'indices':7", "'indices':12", "/accessors/12", "", "parts of meshes"},
        {"'indices':7", "'indices':8", "/accessors/8/type", "SCALAR", "parts of meshes"},
        {"'type':'VEC3','min':[0,0,0],'max':[2,1,0]", "'type':'VEC5'", "/accessors/0/type", "",
         "parts of meshes"},
    };
    CHECK_REFUSALS(cases);
}

TEST(invalid_nodes_and_skins_are_refused)
{
    static const refusal cases[] = {
        {"[0,0,0,1],'name':'hip'", "[0,0,1],'name':'hip'", "/nodes/1/rotation",
         "must be an array of 4 numbers", "nodes"},
        {"'camera':0,", "'camera':5,", "/nodes/3/camera", "index 5, but there are 2", "nodes"},
        {"{'translation':[0,1,0],", "{'children':[1],", "/nodes/2", "node 2 is its own ancestor",
         "places of nodes"},
        {"'children':[2]", "'children':[9]", "/nodes/1/children/0", "index 9", "children of nodes"},
        {"'joints':[1,2]", "'joints':[]", "/skins/0", "a skin needs 'joints'", "skins"},
        {"'joints':[1,2]", "'joints':[1,9]", "/skins/0/joints/1", "index 9", "joints"},
        {"'joints':[1,2]", "'joints':[1,2,0]", "/skins/0/inverseBindMatrices", "2 matrices",
         "skins"},
        {"'inverseBindMatrices':13", "'inverseBindMatrices':11", "/accessors/11/type", "MAT4",
         "skins"},
    };
    CHECK_REFUSALS(cases);
}

TEST(invalid_animations_are_refused)
{
    static const refusal cases[] = {
        {"{'input':9,'output':10}", "{'output':10}", "/animations/0/samplers/0",
         "a sampler needs 'input' and 'output'", "channels"},
        {"{'input':9,'output':10}", "{'input':9}", "/animations/0/samplers/0",
         "a sampler needs 'input' and 'output'", "channels"},
        {"{'input':9,'output':10}", "{'input':9,'output':11}", "/accessors/11/type", "VEC3",
         "channels"},
        {"'target':{'node':2,'path':'translation'}", "'name':'no target'",
         "/animations/0/channels/0", "a channel needs 'target'", "channels"},
        {"{'sampler':0,'target'", "{'sampler':3,'target'", "/animations/0/channels/0",
         "a channel needs a 'sampler' that exists: there are 3", "channels"},
        {"'interpolation':'CUBICSPLINE'", "'interpolation':'CUBIC'",
         "/animations/0/samplers/1/interpolation", "", "channels"},
    };
    CHECK_REFUSALS(cases);
}

// Without their bytes, meshes cannot be recovered.
TEST(missing_buffers_are_refused)
{
    static const refusal cases[] = {
        {"data:application/octet-stream;base64,", "http://there/", "/buffers/0/uri",
         "is a URL, and URLs are not fetched", NULL},
        {"data:application/octet-stream;base64,", "x", "/buffers/0/uri",
         "is another file, which cannot be opened", NULL},
        {"data:application/octet-stream;base64,", "data:application/octet-stream;base64,AA",
         "/buffers/0/uri", "", NULL},
        {"data:application/octet-stream;base64,", "data:application/octet-stream;base64;",
         "/buffers/0/uri", "a data URI must start with", NULL},
        {"'uri':'data:application/octet-stream;base64,", "'name':'", "/buffers/0",
         "the buffer has no 'uri'", NULL},
    };
    CHECK_REFUSALS(cases);
}

// -- What is accepted and reported

TEST(what_a_scene_cannot_hold_is_reported)
{
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"'offset':[0,0.5],'texCoord':0", "'offset':[0,0.5],'texCoord':9"},
        {"'COLOR_0':4", "'COLOR_0':4,'_OWN':3"},
        {"'xmag':2", "'xmag':-2"},
        {"'path':'translation'", "'path':'color'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reported without = {0}, t = {0};
        tenon_error err;
        blob good = edited_gltf(&(gltf_edit){.from = NULL});
        blob file = edited_gltf(&(gltf_edit){.from = cases[i].from, .to = cases[i].to});
        tenon_scene_free(scene_of(&good, false, &without, &err));
        tenon_scene *s = scene_of(&file, false, &t, &err);
        if (!s) fprintf(stderr, "%s: %s\n", cases[i].to, err.message);
        CHECK(s && tenon_scene_check(s, &err));
        if (i != 2) CHECK(t.losses > without.losses);
        if (i == 2) CHECK(s && s->cameras[1].half_width == 2);
        tenon_scene_free(s);
        blob_free(&file);
        blob_free(&good);
    }
}

// -- The same numbers in other ways

static tenon_scene *scene_of_edit(const char *from, const char *to)
{
    tenon_error err;
    blob file = edited_gltf(&(gltf_edit){.from = from, .to = to});
    tenon_scene *s = scene_of(&file, false, NULL, &err);
    if (!s) fprintf(stderr, "%s: %s\n", err.path, err.message);
    CHECK(s && tenon_scene_check(s, &err));
    blob_free(&file);
    return s;
}

// Zeros, some of which are replaced: integers may be stored like that as well.
TEST(indices_and_joints_may_be_sparse)
{
    tenon_scene *s = scene_of_edit(
        "{'bufferView':7,'componentType':5123,'count':3,'type':'SCALAR'}",
        "{'componentType':5123,'count':3,'type':'SCALAR','sparse':{'count':2,'indices':"
        "{'bufferView':7,'byteOffset':2,'componentType':5123},'values':"
        "{'bufferView':7,'byteOffset':2}}}");
    const tenon_primitive *p = s ? &s->meshes[0].primitives[0] : NULL;
    CHECK(p && p->index_count == 3);
    for (uint32_t i = 0; p && i < 3; i++) CHECK(p->indices[i] == i);
    tenon_scene_free(s);
    s = scene_of_edit("{'bufferView':5,'componentType':5121,'count':3,'type':'VEC4'}",
                      "{'componentType':5121,'count':3,'type':'VEC4','sparse':{'count':1,"
                      "'indices':{'bufferView':7,'componentType':5123},'values':"
                      "{'bufferView':5}}}");
    p = s ? &s->meshes[0].primitives[0] : NULL;
    CHECK(p && p->joints[0] == 0 && p->joints[1] == 1 && p->joints[4] == 0 && p->joints[8] == 0);
    tenon_scene_free(s);
}

TEST(texture_coordinates_may_be_any_numbers)
{
    static const char floats[] = "{'bufferView':3,'componentType':5126,'count':3,'type':'VEC2'}";
    static const struct {
        const char *to;
        float want;  // The first coordinate of the second vertex, whose bits are 0x3f800000.
    } cases[] = {
        {"{'bufferView':3,'componentType':5126,'count':3,'type':'VEC2'}", 1},
        {"{'bufferView':3,'componentType':5125,'count':3,'type':'VEC2'}", 1065353216},
        {"{'bufferView':3,'componentType':5125,'count':3,'type':'VEC2','normalized':true}",
         (float)(1065353216 / 4294967295.0)},
        {"{'bufferView':3,'byteOffset':8,'componentType':5123,'count':3,'type':'VEC2'}", 0},
        {"{'bufferView':3,'byteOffset':6,'componentType':5122,'count':3,'type':'VEC2',"
         "'normalized':true}",
         (float)(16256 / 32767.0)}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tenon_scene *s = scene_of_edit(floats, cases[i].to);
        const float *uvs = s ? s->meshes[0].primitives[0].uvs[0] : NULL;
        if (uvs && uvs[2] != cases[i].want)
            fprintf(stderr, "%s: %g\n", cases[i].to, (double)uvs[2]);
        CHECK(uvs && uvs[2] == cases[i].want);
        tenon_scene_free(s);
    }
}

// In a skinned mesh, a part without weights follows the node that shows it.
TEST(parts_without_weights_follow_their_node)
{
    tenon_scene *s = scene_of_edit("'targets':[{'POSITION':8}]}]",
                                   "'targets':[{'POSITION':8}]},{'attributes':{'POSITION':0}}]");
    CHECK(s && s->meshes[0].primitive_count == 2);
    const tenon_primitive *p = s ? &s->meshes[0].primitives[1] : NULL;
    CHECK(p && p->influence_count == 4 && p->weights[0] == 1 && p->weights[1] == 0);
    CHECK(p && s->skins[0].joint_count == 3 && s->skins[0].joints[p->joints[0]] == 0);
    tenon_scene_free(s);
}

TEST(a_text_that_is_not_an_object_is_refused)
{
    tenon_error err;
    blob file = {0};
    blob_add(&file, "[1]", 3);
    CHECK(!scene_of(&file, false, NULL, &err));
    CHECK(err.message[0]);
    blob_free(&file);
}

// -- Holes in the text

// Wherever the text has a hole, the recovered scene is valid; and a hole in the cameras leaves
// the mesh, which comes after them.
TEST(reading_continues_after_a_hole_at_the_next_list)
{
    blob good = edited_gltf(&(gltf_edit){.from = NULL});
    const char *cameras = strstr((const char *)good.data, "\"cameras\"");
    size_t at_cameras = (size_t)(cameras - (const char *)good.data), with_mesh = 0;
    for (size_t at = 1; at + 24 < good.size; at += 13) {
        tenon_error err = {0};
        blob file = {0};
        blob_add(&file, good.data, good.size);
        memset(file.data + at, at % 2 ? '\1' : '"', 24);
        tenon_scene *s = scene_of(&file, true, NULL, &err);
        CHECK(s ? tenon_scene_check(s, &err) : err.message[0] != '\0');
        with_mesh += s && s->mesh_count == 1;
        tenon_scene_free(s);
        blob_free(&file);
    }
    CHECK(with_mesh > 20);
    memset(good.data + at_cameras + 5, '\1', 8);
    reported t = {0};
    tenon_error err;
    tenon_scene *s = scene_of(&good, true, &t, &err);
    CHECK(s && s->mesh_count == 1 && s->camera_count == 0);
    CHECK(t.damages == 3);  // The nodes that have cameras or a light.
    tenon_scene_free(s);
    blob_free(&good);
}

// Damage within one item of a list costs only that item, and the others keep their indices.
TEST(a_damaged_item_is_empty)
{
    const struct {
        size_t at, size;
        char byte;
    } damages[] = {{20, 4, '\1'}, {13, 4, 'x'}, {12, 1, 'x'}, {30, 6, '"'}, {45, 20, '}'}};
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        blob file = edited_gltf(&(gltf_edit){.from = NULL});
        char *cameras = strstr((char *)file.data, "\"cameras\"");
        reported t = {0};
        tenon_error err;
        memset(cameras + damages[i].at, damages[i].byte, damages[i].size);
        tenon_scene *s = scene_of(&file, true, &t, &err);
        CHECK(s && s->mesh_count == 1 && s->camera_count == 2 && s->light_count == 1);
        CHECK(s && s->cameras[1].is_orthographic && t.damages == 1);
        tenon_scene_free(s);
        blob_free(&file);
    }
}

int main(void)
{
    RUN(the_file_that_is_edited_is_a_scene);
    RUN(invalid_cameras_and_lights_are_refused);
    RUN(invalid_materials_are_refused);
    RUN(invalid_meshes_are_refused);
    RUN(invalid_nodes_and_skins_are_refused);
    RUN(invalid_animations_are_refused);
    RUN(missing_buffers_are_refused);
    RUN(what_a_scene_cannot_hold_is_reported);
    RUN(indices_and_joints_may_be_sparse);
    RUN(texture_coordinates_may_be_any_numbers);
    RUN(parts_without_weights_follow_their_node);
    RUN(a_text_that_is_not_an_object_is_refused);
    RUN(reading_continues_after_a_hole_at_the_next_list);
    RUN(a_damaged_item_is_empty);
    TEST_END();
}

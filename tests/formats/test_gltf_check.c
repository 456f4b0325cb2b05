// test_gltf_check.c: one edit to a glTF file without faults, and the rule that reports it.
// SPDX-License-Identifier: MIT

#include "../faulty_files.h"
#include "gltf_edit_help.h"

// An edit of the text, and the finding that it must give.
typedef struct edit_case {
    const char *from, *to;
    const char *rule, *path, *words;
} edit_case;

static void check_edit(const gltf_edit *edit, const char *rule, const char *path, const char *words)
{
    blob file = edited_gltf(edit);
    gltf_said said = {.rule = rule, .path = path, .words = words};
    gltf_ask(&file, NULL, &said);
    if (!said.is_said)
        fprintf(stderr, "'%s': %s at %s (%s) is not said, but %s\n", edit->from ? edit->from : "",
                rule, path, words, said.shown);
    CHECK(said.is_said);
    blob_free(&file);
}

static void check_edits(const edit_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_edit(&(gltf_edit){.from = cases[i].from, .to = cases[i].to}, cases[i].rule,
                   cases[i].path, cases[i].words);
}

#define CHECK_EDITS(cases) check_edits(cases, sizeof cases / sizeof cases[0])

TEST(the_file_that_is_edited_has_no_fault)
{
    blob file = edited_gltf(&(gltf_edit){.from = NULL});
    gltf_said said = {.rule = NULL};
    gltf_ask(&file, NULL, &said);
    if (said.others) fprintf(stderr, "%s\n", said.shown);
    CHECK(said.others == 0);
    blob_free(&file);
}

// -- Values

TEST(types_of_values_are_those_of_the_specification)
{
    static const edit_case cases[] = {
        {"'yfov':1", "'yfov':'1'", "gltf/type", "/cameras/0/perspective/yfov", "but is a string"},
        {"'mode':4", "'mode':4.5", "gltf/type", "/meshes/0/primitives/0/mode",
         "4.5 must be a whole number"},
        {"'wrapS':10497", "'wrapS':true", "gltf/type", "/samplers/0/wrapS", "must be a number"},
        {"'alphaMode':'MASK'", "'alphaMode':0", "gltf/type", "/materials/0/alphaMode",
         "must be a string"},
        {"'doubleSided':true", "'doubleSided':1", "gltf/type", "/materials/0/doubleSided",
         "must be true or false, but is a number"},
        {"'children':[2]", "'children':2", "gltf/type", "/nodes/1/children", "must be an array"},
        {"'children':[2]", "'children':['2']", "gltf/type", "/nodes/1/children/0", ""},
        {"'source':0,'sampler':0", "'source':0,'sampler':null", "gltf/type", "/textures/0/sampler",
         ""},
        {"'normalTexture':{'index':0,'scale':2}", "'normalTexture':[]", "gltf/type",
         "/materials/0/normalTexture", "must be an object, but is an array"},
        {"'targets':[{'POSITION':8}]", "'targets':[8]", "gltf/type",
         "/meshes/0/primitives/0/targets/0", "must be an object"},
        {"'targets':[{'POSITION':8}]", "'targets':{}", "gltf/type",
         "/meshes/0/primitives/0/targets", "must be an array"},
        {"{'KHR_texture_transform':{'offset':[0,0.5],'texCoord':0}}", "7", "gltf/type",
         "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions", "must be an object"},
        {"'extensionsUsed':['KHR_lights_punctual'", "'extensionsUsed':[1,'KHR_lights_punctual'",
         "gltf/type", "/extensionsUsed/0", "must be a string"},
        {"'path':'translation'", "'path':1", "gltf/type", "/animations/0/channels/0/target/path",
         "must be a string"},
        {"'cameras':[", "'cameras':[5,", "gltf/type", "/cameras/0", "must be an object"},
    };
    CHECK_EDITS(cases);
}

TEST(values_stay_in_their_ranges)
{
    static const edit_case cases[] = {
        {"'yfov':1", "'yfov':0", "gltf/value", "/cameras/0/perspective/yfov", "0 is out of range"},
        {"'yfov':1", "'yfov':1e999", "gltf/value", "/cameras/0/perspective/yfov", "out of range"},
        {"'mode':4", "'mode':7", "gltf/value", "/meshes/0/primitives/0/mode", "7 is out of range"},
        {"'roughnessFactor':0.5", "'roughnessFactor':-0.5", "gltf/value",
         "/materials/0/pbrMetallicRoughness/roughnessFactor", "-0.5 is out of range"},
        {"'wrapS':10497", "'wrapS':10498", "gltf/choice", "/samplers/0/wrapS",
         "'10498' is not one of the numbers allowed for 'wrapS'"},
        {"'alphaMode':'MASK'", "'alphaMode':'MASKED'", "gltf/choice", "/materials/0/alphaMode",
         "'MASKED' is not one of the words allowed for 'alphaMode'"},
        {"'zfar':9", "'zfar':0.25", "gltf/value", "/cameras/0/perspective",
         "'zfar' is not greater than 'znear'"},
        {"'xmag':2", "'xmag':0", "gltf/value", "/cameras/1/orthographic/xmag",
         "a width or height of 0"},
        {"'ymag':3", "'ymag':0", "gltf/value", "/cameras/1/orthographic/ymag",
         "a width or height of 0"},
        {"'innerConeAngle':0.25", "'innerConeAngle':0.75", "gltf/value",
         "/extensions/KHR_lights_punctual/lights/0/spot", "not less than the outer angle"},
        {"octet-stream", "x-data", "gltf/value", "/buffers/0/uri", "not 'data:application/x-data'"},
        {"'componentType':5126,'count':2,'type':'SCALAR'}",
         "'componentType':5126,'count':2,'type':'SCALAR','normalized':true}", "gltf/value",
         "/accessors/12", "only 8-bit and 16-bit integers"},
    };
    CHECK_EDITS(cases);
}

TEST(lists_have_the_items_that_they_need)
{
    static const edit_case cases[] = {
        {"[0,0,0,1],'name':'hip'", "[0,0,1],'name':'hip'", "gltf/size", "/nodes/1/rotation",
         "'rotation' has 3 items, but needs 4"},
        {"'children':[2]", "'children':[]", "gltf/size", "/nodes/1/children",
         "'children' has 0 items, but needs at least 1"},
        {"'samplers':[{'wrapS':10497}]", "'samplers':[]", "gltf/size", "/samplers",
         "'samplers' is empty"},
        {"'targets':[{'POSITION':8}]", "'targets':[{}]", "gltf/size",
         "/meshes/0/primitives/0/targets/0", "it is empty"},
        {"'min':[0],'max':[1]", "'min':[0],'max':[1,1]", "gltf/size", "/accessors/9/max",
         "'max' has 2 items, but an element has 1 components"},
        {"'weights':[0.25],'primitives'", "'weights':[0.25,0],'primitives'", "gltf/size",
         "/meshes/0/weights", "there are 1 morph targets"},
        {"'weights':[0.5],'name':'shown'", "'weights':[0.5,0],'name':'shown'", "gltf/size",
         "/nodes/0/weights", "the mesh has 1 morph targets"},
        {"'targets':[{'POSITION':8}]}]",
         "'targets':[{'POSITION':8}]},{'attributes':{'POSITION':0}}]", "gltf/size",
         "/meshes/0/primitives/1", "the first primitive has 1 morph targets"},
    };
    CHECK_EDITS(cases);
}

TEST(what_is_required_is_there)
{
    static const edit_case cases[] = {
        {"'yfov':1,", "", "gltf/missing", "/cameras/0/perspective", "'yfov' is missing"},
        {"'perspective':{'yfov':1,'znear':0.5,'zfar':9}", "'name':'none'", "gltf/missing",
         "/cameras/0", "'perspective' is missing"},
        {"'spot':{'innerConeAngle':0.25,'outerConeAngle':0.75}", "'name':'none'", "gltf/missing",
         "/extensions/KHR_lights_punctual/lights/0", "'spot' is missing"},
        {"'mesh':0,'skin':0,", "", "gltf/missing", "/nodes/0/weights", "the node has no mesh"},
        {"'images':[{'mimeType':'image/png',", "'images':[{'bufferView':1,", "gltf/missing",
         "/images/0", "one of 'uri' and 'bufferView' is required"},
        {"'images':[", "'images':[{'bufferView':1},", "gltf/missing", "/images/0",
         "'bufferView' requires 'mimeType'"},
        {"{'bufferView':12,'componentType'", "{'byteOffset':0,'componentType'", "gltf/missing",
         "/accessors/12/byteOffset", "'bufferView' is missing"},
    };
    CHECK_EDITS(cases);
}

TEST(names_and_members_are_known)
{
    static const edit_case cases[] = {
        {"'doubleSided'", "'twoSided'", "gltf/member", "/materials/0/twoSided",
         "not defined in the specification"},
        {"'extensionsUsed':['KHR_lights_punctual'",
         "'extensionsUsed':['KHR_lights_punctual','KHR_lights_punctual'", "gltf/duplicate",
         "/extensionsUsed/1", "already in the list"},
        {"'scene':0", "'extensionsRequired':['KHR_lights_punctual','KHR_lights_punctual']",
         "gltf/duplicate", "/extensionsRequired/1", "already in the list"},
        {"'scene':0", "'extensionsRequired':['KHR_none']", "gltf/extension",
         "/extensionsRequired/0", "required, but not listed in 'extensionsUsed'"},
        {"['KHR_lights_punctual',", "['KHR_lights_punctual','KHR_mesh_quantization',",
         "gltf/extension", "/extensionsUsed", "must also be in 'extensionsRequired'"},
        {"['KHR_lights_punctual',", "['KHR_lights_punctual','KHR_none',", "gltf/extension-unknown",
         "/extensionsUsed/1", "is unknown: its content is not checked"},
        {",'KHR_texture_transform'],", "],", "gltf/extension",
         "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform",
         "present, but not listed in 'extensionsUsed'"},
        {"'skins':[{", "'skins':[{'extensions':{'KHR_texture_transform':{}},", "gltf/extension",
         "/skins/0/extensions/KHR_texture_transform", "not allowed on objects of this type"},
        {"'version':'2.0'", "'version':'1.0'", "gltf/version", "/asset/version",
         "unknown glTF version '1.0'"},
    };
    CHECK_EDITS(cases);
}

TEST(indices_name_what_exists)
{
    static const edit_case cases[] = {
        {"'skeleton':1", "'skeleton':6", "gltf/index", "/skins/0/skeleton",
         "index 6, but there are 6 nodes"},
        {"'children':[2]", "'children':[2,2]", "gltf/duplicate", "/nodes/1/children/1",
         "2 is already in the list"},
        {"{'sampler':0,'target'", "{'sampler':3,'target'", "gltf/index",
         "/animations/0/channels/0/sampler", "index 3, but there are 3 samplers"},
        {"'bufferView':12", "'bufferView':99", "gltf/index", "/accessors/12/bufferView",
         "index 99, but there are 14 bufferViews"},
        {"'joints':[1,2]", "'joints':[1,77]", "gltf/index", "/skins/0/joints/1", "index 77"},
        {"'nodes':[0,1,3,4,5],", "'nodes':[0,1,3,4,50],", "gltf/index", "/scenes/0/nodes/4",
         "index 50"},
        {"'input':9,'output':10", "'input':90,'output':10", "gltf/index",
         "/animations/0/samplers/0/input", "index 90"},
        {"'input':9,'output':10", "'input':9,'output':100", "gltf/index",
         "/animations/0/samplers/0/output", "index 100"},
        {"'node':2,'path'", "'node':22,'path'", "gltf/index",
         "/animations/0/channels/0/target/node", "index 22"},
        {"'inverseBindMatrices':13", "'inverseBindMatrices':14", "gltf/index",
         "/skins/0/inverseBindMatrices", "index 14"},
    };
    CHECK_EDITS(cases);
}

// -- Bytes

TEST(views_and_accessors_are_used_for_one_thing)
{
    static const edit_case cases[] = {
        {"'byteStride':12", "'byteStride':14", "gltf/alignment", "/bufferViews/1/byteStride",
         "14 is not a multiple of 4"},
        {"'byteStride':12", "'byteStride':40", "gltf/value", "/bufferViews/1/byteStride",
         "the view has only 36"},
        {"'byteLength':6,'target':34963", "'byteLength':6,'byteStride':4,'target':34963",
         "gltf/use", "/bufferViews/7/byteStride", "only vertex data may have a 'byteStride'"},
        {"'byteOffset':388,'byteLength':8", "'byteOffset':388,'byteLength':8,'byteStride':4",
         "gltf/use", "/animations/0/samplers/2/output", "only vertex data may have a 'byteStride'"},
        {"'byteOffset':388,'byteLength':8", "'byteOffset':388,'byteLength':8,'target':34962",
         "gltf/use", "/animations/0/samplers/2/output", "whose 'target' is 34962"},
        {"{'bufferView':12", "{'bufferView':3", "gltf/use", "/animations/0/samplers/2/output",
         "where other accessors contain vertices"},
        {"'input':9,'output':12", "'input':12,'output':12", "gltf/use",
         "/animations/0/samplers/2/output", "accessor 12 contains key values here, and key times"},
        {"{'bufferView':12,'componentType':5126,'count':2",
         "{'bufferView':12,'byteOffset':2,'componentType':5126,'count':1", "gltf/alignment",
         "/accessors/12", "it starts at 2 and its view at 388, but its components have 4 bytes"},
        {"'byteOffset':388", "'byteOffset':386", "gltf/alignment", "/accessors/12",
         "its view at 386"},
        {"'byteOffset':388,'byteLength':8", "'byteOffset':388,'byteLength':800", "gltf/bytes",
         "/bufferViews/12", "the buffer has 524"},
        {"'buffers':[{'byteLength':524", "'buffers':[{'byteLength':525", "gltf/bytes", "/buffers/0",
         ""},
        {"'componentType':5126,'count':6", "'componentType':5126,'count':7", "gltf/bytes",
         "/accessors/11", "do not fit"},
    };
    CHECK_EDITS(cases);
}

TEST(attributes_have_the_types_of_the_specification)
{
    static const edit_case cases[] = {
        {"'TEXCOORD_0':3", "'TEXCOORD_01':3", "gltf/attribute",
         "/meshes/0/primitives/0/attributes/TEXCOORD_01", "attribute of that name does not exist"},
        {"'TEXCOORD_0':3", "'TEXCOORD_x':3", "gltf/attribute",
         "/meshes/0/primitives/0/attributes/TEXCOORD_x", "attribute of that name does not exist"},
        {"'TEXCOORD_0':3", "'TEXCOORD_':3", "gltf/attribute",
         "/meshes/0/primitives/0/attributes/TEXCOORD_", "attribute of that name does not exist"},
        {"'NORMAL':1", "'NORMALS':1", "gltf/attribute", "/meshes/0/primitives/0/attributes/NORMALS",
         "attribute of that name does not exist"},
        {"'TEXCOORD_0':3", "'TEXCOORD_1':3", "gltf/attribute", "/meshes/0/primitives/0/material",
         "a texture of the material needs TEXCOORD_0"},
        {"'offset':[0,0.5],'texCoord':0", "'offset':[0,0.5],'texCoord':5", "gltf/attribute",
         "/meshes/0/primitives/0/material", "needs TEXCOORD_5"},
        {"'offset':[0,0.5],'texCoord':0", "'offset':[0,0.5],'texCoord':64", "gltf/attribute",
         "/meshes/0/primitives/0/material", "needs TEXCOORD_64"},
        {"'NORMAL':1", "'NORMAL':2", "gltf/attribute", "/meshes/0/primitives/0/attributes/NORMAL",
         "an accessor of this type"},
        {"'COLOR_0':4", "'COLOR_0':5", "gltf/attribute",
         "/meshes/0/primitives/0/attributes/COLOR_0", "an accessor of this type"},
        {"'JOINTS_0':5", "'JOINTS_0':4", "gltf/attribute",
         "/meshes/0/primitives/0/attributes/JOINTS_0", "an accessor of this type"},
        {"'WEIGHTS_0':6", "'WEIGHTS_0':11", "gltf/attribute",
         "/meshes/0/primitives/0/attributes/WEIGHTS_0",
         "6 elements, but other attributes of the primitive have 3"},
        {"{'bufferView':2,'componentType':5126", "{'bufferView':1,'componentType':5126",
         "gltf/bytes", "/accessors/2", "'byteStride' is 12, but an element has 16 bytes"},
        {"'max':[2,1,0]", "'name':'no max'", "gltf/bounds",
         "/meshes/0/primitives/0/attributes/POSITION", "positions need 'min' and 'max'"},
        {"'indices':7", "'indices':12", "gltf/attribute", "/meshes/0/primitives/0/indices",
         "unsigned integers"},
        {"'POSITION':8}", "'POSITION':11}", "gltf/attribute",
         "/meshes/0/primitives/0/targets/0/POSITION", "6 elements, but there are 3 vertices"},
        {"'POSITION':8}", "'JOINTS_0':5}", "gltf/attribute",
         "/meshes/0/primitives/0/targets/0/JOINTS_0", "not allowed in morph targets"},
        {"'POSITION':8}", "'POSITION':8,'TEXCOORD_1':3}", "gltf/attribute",
         "/meshes/0/primitives/0/targets/0/TEXCOORD_1", "the primitive does not have this"},
        {"'POSITION':8}", "'TANGENT':2}", "gltf/attribute",
         "/meshes/0/primitives/0/targets/0/TANGENT", "an accessor of this type"},
        {"{'bufferView':8,'componentType':5126,'count':3,'type':'VEC3','min'",
         "{'bufferView':0,'byteOffset':0,'componentType':5126,'count':3,'type':'VEC3','min'",
         "gltf/bounds", "/accessors/8/max/0", "number 0 of 'max' does not match the data"},
        {"{'bufferView':3,'componentType':5126,'count':3,'type':'VEC2'}",
         "{'bufferView':2,'componentType':5126,'count':3,'type':'VEC2'}", "gltf/attribute",
         "/meshes/0/primitives/0/attributes/TEXCOORD_0",
         "accessors 2 and 3 share a view without 'byteStride'"},
        {"{'bufferView':4,'componentType':5121,'count':3,'type':'VEC4'",
         "{'bufferView':4,'componentType':5121,'count':3,'type':'VEC3'", "gltf/alignment",
         "/meshes/0/primitives/0/attributes/COLOR_0", "vertices are 3 bytes apart"},
        {"'byteOffset':144,'byteLength':12", "'byteOffset':142,'byteLength':12", "gltf/alignment",
         "/meshes/0/primitives/0/attributes/COLOR_0", "vertices do not start at a multiple of 4"},
    };
    CHECK_EDITS(cases);
}

// A few bytes of the buffer, and the finding.
typedef struct byte_case {
    size_t at, size;
    const char *bytes;
    const char *rule, *path, *words;
} byte_case;

#define NAN_BYTES  "\0\0\xc0\x7f"
#define TWO_BYTES  "\0\0\0\x40"
#define LESS_BYTES "\0\0\x80\xbf"  // -1.

TEST(numbers_are_as_declared)
{
    static const byte_case cases[] = {
        {0, 4, LESS_BYTES, "gltf/bounds", "/accessors/0/min/0", "number 0 of 'min'"},
        {32, 4, TWO_BYTES, "gltf/bounds", "/accessors/0/max/2", "number 2 of 'max'"},
        {0, 4, NAN_BYTES, "gltf/not-finite", "/accessors/0", "1 of its numbers are not finite"},
        {36, 4, TWO_BYTES, "gltf/unit", "/meshes/0/primitives/0/attributes/NORMAL",
         "1 of 3 do not have length 1"},
        {84, 4, TWO_BYTES, "gltf/unit", "/meshes/0/primitives/0/attributes/TANGENT",
         "1 of 3 do not have length 1"},
        {168, 4, LESS_BYTES, "gltf/weights", "/meshes/0/primitives/0/attributes",
         "the weights of 1 of 3 vertices do not sum to 1, 1 are negative"},
        {157, 1, "\0", "gltf/joint-twice", "/meshes/0/primitives/0/attributes",
         "1 of 3 vertices have two weights for the same joint"},
        {157, 1, "\2", "gltf/weights", "/nodes/0/skin", "uses joint 2, but the skin has 2"},
        {216, 2, "\3\0", "gltf/index-range", "/meshes/0/primitives/0/indices",
         "index 3, but there are 3 vertices"},
        {216, 2, "\xff\xff", "gltf/index-range", "/meshes/0/primitives/0/indices", "index 65535"},
        {260, 4, TWO_BYTES, "gltf/keys", "/animations/0/samplers/0/input",
         "1 times are negative or do not increase"},
        {308, 4, TWO_BYTES, "gltf/keys", "/animations/0/samplers/1/output",
         "1 rotations do not have length 1"},
        {456, 4, TWO_BYTES, "gltf/skin", "/skins/0/inverseBindMatrices",
         "the last row of 1 matrices is not 0 0 0 1"},
        {408, 4, TWO_BYTES, "gltf/skin", "/skins/0/inverseBindMatrices",
         "the last row of 1 matrices is not 0 0 0 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_edit(&(gltf_edit){.to = cases[i].bytes, .at = cases[i].at, .size = cases[i].size},
                   cases[i].rule, cases[i].path, cases[i].words);
}

TEST(colors_of_floats_stay_within_0_and_1)
{
    static const edit_case cases[] = {
        {"'COLOR_0':4", "'COLOR_0':2", "gltf/value", "/meshes/0/primitives/0/attributes/COLOR_0",
         "1 color components are not between 0 and 1"},
    };
    CHECK_EDITS(cases);
}

// -- Nodes, skins, animations

TEST(transforms_are_matrices_or_parts)
{
    static const edit_case cases[] = {
        {"[0,0,0,1],'name':'hip'", "[0,0,0,0.5],'name':'hip'", "gltf/transform",
         "/nodes/1/rotation", "its length is not 1"},
        {"'camera':0,", "'camera':0,'translation':[1,0,0],", "gltf/transform", "/nodes/3/matrix",
         "also has translation, rotation or scale"},
        {"'camera':0,", "'camera':0,'rotation':[0,0,0,1],", "gltf/transform", "/nodes/3/matrix",
         "also has translation, rotation or scale"},
        {"'camera':0,", "'camera':0,'scale':[1,1,1],", "gltf/transform", "/nodes/3/matrix",
         "also has translation, rotation or scale"},
        {"[1,0,0,0,0,1,0,0,0,0,1,0,0,0,5,1]", "[1,0,0,0,1,1,0,0,0,0,1,0,0,0,5,1]", "gltf/transform",
         "/nodes/3/matrix", "cannot be split into translation, rotation and scale"},
        {"[1,0,0,0,0,1,0,0,0,0,1,0,0,0,5,1]", "[0,0,0,0,0,1,0,0,0,0,1,0,0,0,5,1]", "gltf/transform",
         "/nodes/3/matrix", "cannot be split into translation, rotation and scale"},
    };
    CHECK_EDITS(cases);
}

TEST(trees_and_skins_are_consistent)
{
    static const edit_case cases[] = {
        {"'nodes':[0,1,3,4,5],", "'nodes':[0,1,2,3,4,5],", "gltf/tree", "/scenes/0/nodes/2",
         "node 2 is a child of node 1"},
        {"{'translation':[0,1,0],", "{'children':[1],", "gltf/tree", "/nodes/2",
         "node 2 is its own ancestor"},
        {"'joints':[1,2],'skeleton':1", "'joints':[1,3]", "gltf/skeleton", "/skins/0/joints/1",
         "no common ancestor"},
        {"'skeleton':1", "'skeleton':2", "gltf/skeleton", "/skins/0/skeleton",
         "joint 0 is not a descendant of node 2"},
        {"'nodes':[0,1,3,4,5],", "'nodes':[0,3,4,5],", "gltf/skeleton", "/nodes/0/skin",
         "scene 0 has the mesh, but not its joints"},
        {"'inverseBindMatrices':13", "'inverseBindMatrices':11", "gltf/skin",
         "/skins/0/inverseBindMatrices", "2 float matrices are required"},
        {"'joints':[1,2]", "'joints':[1,2,0]", "gltf/skin", "/skins/0/inverseBindMatrices",
         "3 float matrices are required"},
        {"'mesh':0,'skin':0,'weights':[0.5],", "'skin':0,", "gltf/skin", "/nodes/0/skin",
         "the node has no mesh"},
        {"'JOINTS_0':5,'WEIGHTS_0':6", "'_OWN':5", "gltf/skin", "/nodes/0/skin",
         "the mesh of the node has no joints"},
    };
    CHECK_EDITS(cases);
}

TEST(keys_fit_what_they_move)
{
    static const edit_case cases[] = {
        {"{'input':9,'output':10}", "{'input':10,'output':10}", "gltf/keys",
         "/animations/0/samplers/0/input", "times must be floats"},
        {"'min':[0],'max':[1]", "'min':[0]", "gltf/bounds", "/animations/0/samplers/0/input",
         "times need 'min' and 'max'"},
        {"{'input':9,'output':10}", "{'input':9,'output':12}", "gltf/keys",
         "/animations/0/samplers/0/output", "does not allow values of this type"},
        {"'input':9,'output':10}", "'input':9,'output':10,'interpolation':'CUBICSPLINE'}",
         "gltf/keys", "/animations/0/samplers/0/output", "2 values, expected 6"},
        {"{'bufferView':9,'componentType':5126,'count':2,'type':'SCALAR','min':[0],'max':[1]}",
         "{'bufferView':9,'componentType':5126,'count':1,'type':'SCALAR','min':[0],'max':[0]}",
         "gltf/keys", "/animations/0/samplers/1/input", "a cubic spline needs at least two keys"},
        {"'node':0,'path':'weights'", "'node':2,'path':'weights'", "gltf/keys",
         "/animations/0/channels/2/target/node", "the mesh of the node has no morph targets"},
        {"'node':1,'path':'rotation'", "'node':3,'path':'rotation'", "gltf/keys",
         "/animations/0/channels/1/target/node", "a node with a matrix cannot be animated"},
        {"{'sampler':2,'target':{'node':0,'path':'weights'}}",
         "{'sampler':0,'target':{'node':2,'path':'translation'}}", "gltf/keys",
         "/animations/0/channels/2", "another channel has the same target"},
    };
    CHECK_EDITS(cases);
}

// -- Pictures

TEST(pictures_are_of_their_declared_type)
{
    static const edit_case cases[] = {
        {"'mimeType':'image/png'", "'mimeType':'image/jpeg'", "gltf/picture", "/images/0",
         "'mimeType' is 'image/jpeg', but the data is image/png"},
        {"data:image/png;", "data:image/webp;", "gltf/picture", "/images/0",
         "'mimeType' is 'image/webp', but the data is image/png"},
    };
    CHECK_EDITS(cases);
}

// Each has a number in the first chunk of a PNG that no PNG has; the bytes are in base64.
TEST(broken_headers_of_pictures_are_found)
{
    static const struct {
        const char *to, *what;
    } cases[] = {
        {"iVBORw0KGgoAAAANSUhEUgAAAAAAAAABCAIAAACQd1Pe", "no width"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAAACAIAAACQd1Pe", "no height"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAAIAAACQd1Pe", "no bits"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAwIAAACQd1Pe", "3 bits"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABIAIAAACQd1Pe", "32 bits"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAcAAACQd1Pe", "kind 7 of colors"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAgIAAACQd1Pe", "true colors of 2 bits"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIBAACQd1Pe", "compression 1"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAQCQd1Pe", "filter 1"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAAKQd1Pe", "interlace 2"},
        {"iVBORw0KGgoAAAANSUhEUAAAAAEAAAABCAIAAACQd1Pe", "no IHDR"},
        {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB", "cut"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_edit edit = {"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1Pe", cases[i].to, 0, 0};
        int before = test_failures;
        check_edit(&edit, "gltf/picture", "/images/0", "the header of its PNG is broken");
        if (test_failures != before) fprintf(stderr, "it has %s\n", cases[i].what);
    }
}

// The machine is at fault, not the picture.
TEST(a_picture_that_cannot_be_read_is_not_reported)
{
    static const char line[] =
        "'uri':'data:image/png;base64,"
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVQI12P4z8AAAAMBAQAY3Y2wAAAAAElFTkSu"
        "QmCC'";
    static const char *const uris[] = {"'uri':'crane.png'", "'uri':'crane.bmw'"};
    faulty_files faulty;
    for (int is_other = 0; is_other < 2; is_other++)
        for (unsigned fail_at = 0; fail_at < 2; fail_at++) {
            blob file = edited_gltf(&(gltf_edit){.from = line, .to = uris[is_other]});
            gltf_said said = {.rule = "gltf/picture-unknown",
                              .path = "/images/0",
                              .words = "neither PNG nor JPEG"};
            faulty_begin(&faulty);
            faulty.only = "read", faulty.fail_at = fail_at, faulty.for_ever = true;
            const tenon_check_opts opts = {.model_path = "samples/crane.gltf",
                                           .files = &faulty.files};
            gltf_ask(&file, &opts, &said);
            CHECK(said.is_said == (is_other && !fail_at));
            CHECK(said.others == 0 && faulty.open_count == 0 && faulty.calls > 0);
            blob_free(&file);
        }
}

// -- Containers

// A GLB file: chunks of four bytes or of the given sizes, and bytes after them.
static blob glb_of(const uint32_t *types, const uint32_t *sizes, uint32_t count, uint32_t rest)
{
    static const char text[] = "{\"asset\":{\"version\":\"2.0\"}}   ";
    blob file = {0};
    uint32_t total = 12 + rest;
    uint8_t head[12];
    for (uint32_t i = 0; i < count; i++) total += 8 + sizes[i];
    wire_put_u32(head, 0x46546c67);
    wire_put_u32(head + 4, 2);
    wire_put_u32(head + 8, total);
    blob_add(&file, head, 12);
    for (uint32_t i = 0; i < count; i++) {
        wire_put_u32(head, sizes[i]);
        wire_put_u32(head + 4, types[i]);
        blob_add(&file, head, 8);
        blob_add(&file, text, sizes[i]);
    }
    blob_add(&file, text, rest);
    return file;
}

static void check_container(blob file, const char *rule, const char *path, const char *words)
{
    gltf_said said = {.rule = rule, .path = path, .words = words};
    gltf_ask(&file, NULL, &said);
    if (!said.is_said) fprintf(stderr, "%s is not said, but %s\n", words, said.shown);
    CHECK(said.is_said);
    blob_free(&file);
}

TEST(chunks_come_in_their_order)
{
    enum { JSON = 0x4e4f534a, BIN = 0x004e4942, OWN = 0x004e574f };
    check_container(glb_of((const uint32_t[]){OWN, JSON}, (const uint32_t[]){4, 28}, 2, 0),
                    "gltf/chunk", "chunks[0]", "its type is 0x004e574f");
    check_container(glb_of((const uint32_t[]){JSON, OWN, BIN}, (const uint32_t[]){28, 4, 4}, 3, 0),
                    "gltf/chunk", "chunks[2]", "its type is 0x004e4942");
    check_container(glb_of((const uint32_t[]){JSON, BIN, OWN}, (const uint32_t[]){28, 4, 4}, 3, 0),
                    "gltf/chunk-unknown", "chunks[2]", "its type is 0x004e574f");
    check_container(glb_of((const uint32_t[]){JSON, BIN}, (const uint32_t[]){28, 3}, 2, 0),
                    "gltf/chunk", "chunks[1]", "its size is 3");
    check_container(glb_of((const uint32_t[]){JSON}, (const uint32_t[]){28}, 1, 5), "gltf/chunk",
                    "leftover", "too few for another");
    check_container(glb_of(NULL, NULL, 0, 0), "gltf/chunk", "", "the file has no chunks");
}

int main(void)
{
    RUN(the_file_that_is_edited_has_no_fault);
    RUN(types_of_values_are_those_of_the_specification);
    RUN(values_stay_in_their_ranges);
    RUN(lists_have_the_items_that_they_need);
    RUN(what_is_required_is_there);
    RUN(names_and_members_are_known);
    RUN(indices_name_what_exists);
    RUN(views_and_accessors_are_used_for_one_thing);
    RUN(attributes_have_the_types_of_the_specification);
    RUN(numbers_are_as_declared);
    RUN(colors_of_floats_stay_within_0_and_1);
    RUN(transforms_are_matrices_or_parts);
    RUN(trees_and_skins_are_consistent);
    RUN(keys_fit_what_they_move);
    RUN(pictures_are_of_their_declared_type);
    RUN(broken_headers_of_pictures_are_found);
    RUN(a_picture_that_cannot_be_read_is_not_reported);
    RUN(chunks_come_in_their_order);
    TEST_END();
}

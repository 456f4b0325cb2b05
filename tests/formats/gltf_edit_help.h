// gltf_edit_help.h: a glTF file without faults, and what is found in it after one edit.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GLTF_EDIT_HELP_H
#define TENON_TESTS_GLTF_EDIT_HELP_H

#include "model_help.h"

#include <tenon/tenon.h>

// Quotes are single here, and double in the file. Accessor i is the whole of view i. The buffer is
// the last member except the asset, so that its text is not in the way.
static const char good_text[] =
    "{'scene':0,'scenes':[{'nodes':[0,1,3,4,5],'name':'all'}],"
    "'extensionsUsed':['KHR_lights_punctual','KHR_texture_transform'],"
    "'nodes':[{'mesh':0,'skin':0,'weights':[0.5],'name':'shown'},"
    "{'children':[2],'rotation':[0,0,0,1],'name':'hip'},{'translation':[0,1,0],'name':'knee'},"
    "{'camera':0,'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,0,0,5,1]},{'camera':1,'scale':[1,1,1]},"
    "{'extensions':{'KHR_lights_punctual':{'light':0}}}],"
    "'cameras':[{'type':'perspective','perspective':{'yfov':1,'znear':0.5,'zfar':9}},"
    "{'type':'orthographic','orthographic':{'xmag':2,'ymag':3,'znear':0,'zfar':8}}],"
    "'extensions':{'KHR_lights_punctual':{'lights':[{'type':'spot','intensity':2,"
    "'color':[1,1,0.5],'spot':{'innerConeAngle':0.25,'outerConeAngle':0.75}}]}},"
    "'skins':[{'joints':[1,2],'skeleton':1,'inverseBindMatrices':13}],"
    "'meshes':[{'weights':[0.25],'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'TANGENT':2,"
    "'TEXCOORD_0':3,'COLOR_0':4,'JOINTS_0':5,'WEIGHTS_0':6},'indices':7,'material':0,'mode':4,"
    "'targets':[{'POSITION':8}]}]}],"
    "'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0,'extensions':"
    "{'KHR_texture_transform':{'offset':[0,0.5],'texCoord':0}}},'roughnessFactor':0.5},"
    "'normalTexture':{'index':0,'scale':2},'alphaMode':'MASK','doubleSided':true}],"
    "'textures':[{'source':0,'sampler':0}],'samplers':[{'wrapS':10497}],"
    "'images':[{'mimeType':'image/png','uri':'data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1Pe"
    "AAAADElEQVQI12P4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC'}],"
    "'animations':[{'name':'nod','samplers':[{'input':9,'output':10},"
    "{'input':9,'output':11,'interpolation':'CUBICSPLINE'},{'input':9,'output':12}],"
    "'channels':[{'sampler':0,'target':{'node':2,'path':'translation'}},"
    "{'sampler':1,'target':{'node':1,'path':'rotation'}},"
    "{'sampler':2,'target':{'node':0,'path':'weights'}}]}],"
    "'accessors':["
    "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[2,1,0]},"
    "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC3'},"
    "{'bufferView':2,'componentType':5126,'count':3,'type':'VEC4'},"
    "{'bufferView':3,'componentType':5126,'count':3,'type':'VEC2'},"
    "{'bufferView':4,'componentType':5121,'count':3,'type':'VEC4','normalized':true},"
    "{'bufferView':5,'componentType':5121,'count':3,'type':'VEC4'},"
    "{'bufferView':6,'componentType':5126,'count':3,'type':'VEC4'},"
    "{'bufferView':7,'componentType':5123,'count':3,'type':'SCALAR'},"
    "{'bufferView':8,'componentType':5126,'count':3,'type':'VEC3','min':[0,0,0],'max':[0,0,1]},"
    "{'bufferView':9,'componentType':5126,'count':2,'type':'SCALAR','min':[0],'max':[1]},"
    "{'bufferView':10,'componentType':5126,'count':2,'type':'VEC3'},"
    "{'bufferView':11,'componentType':5126,'count':6,'type':'VEC4'},"
    "{'bufferView':12,'componentType':5126,'count':2,'type':'SCALAR'},"
    "{'bufferView':13,'componentType':5126,'count':2,'type':'MAT4'}],"
    "'bufferViews':[{'buffer':0,'byteLength':36,'target':34962},"
    "{'buffer':0,'byteOffset':36,'byteLength':36,'byteStride':12},"
    "{'buffer':0,'byteOffset':72,'byteLength':48},{'buffer':0,'byteOffset':120,'byteLength':24},"
    "{'buffer':0,'byteOffset':144,'byteLength':12},{'buffer':0,'byteOffset':156,'byteLength':12},"
    "{'buffer':0,'byteOffset':168,'byteLength':48},"
    "{'buffer':0,'byteOffset':216,'byteLength':6,'target':34963},"
    "{'buffer':0,'byteOffset':224,'byteLength':36},{'buffer':0,'byteOffset':260,'byteLength':8},"
    "{'buffer':0,'byteOffset':268,'byteLength':24},{'buffer':0,'byteOffset':292,'byteLength':96},"
    "{'buffer':0,'byteOffset':388,'byteLength':8},{'buffer':0,'byteOffset':396,'byteLength':128}],"
    "'asset':{'version':'2.0'},'buffers':[{'byteLength':524,"
    "'uri':'data:application/octet-stream;base64,";

enum { GOOD_SIZE = 524 };  // Bytes of the buffer.

#define PUT(at, ...)                                      \
    wire_copy(bytes + (at), (const float[]){__VA_ARGS__}, \
              sizeof((const float[]){__VA_ARGS__}) / sizeof(float), sizeof(float))

static inline void good_bytes(uint8_t bytes[GOOD_SIZE])
{
    memset(bytes, 0, GOOD_SIZE);
    PUT(0, 0, 0, 0, 2, 0, 0, 0, 1, 0);                    // Positions.
    PUT(36, 0, 0, 1, 0, 0, 1, 0, 0, 1);                   // Normals.
    PUT(72, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1);         // Tangents.
    PUT(120, 0, 0, 1, 0, 0, 1);                           // Texture coordinates.
    memset(bytes + 144, 255, 12);                         // Colors.
    memcpy(bytes + 156, "\0\1\0\0\1\0\0\0\0\1\0\0", 12);  // Joints.
    PUT(168, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    memcpy(bytes + 216, "\0\0\1\0\2\0", 6);        // Indices.
    PUT(224, 0, 0, 1, 0, 0, 0, 0, 0, 0);           // The morph target.
    PUT(260, 0, 1);                                // Times.
    PUT(268, 0, 1, 0, 0, 2, 0);                    // Translations.
    PUT(292, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0);  // Rotations, between two slopes each.
    PUT(340, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0);
    PUT(388, 0, 1);  // Weights of the morph target.
    for (size_t i = 0; i < 8; i++) PUT(396 + 64 * (i / 4) + 20 * (i % 4), 1);
}

#undef PUT

// -- Text

static inline void add_text(blob *text, const char *part)
{
    for (; *part; part++) blob_add(text, *part == '\'' ? "\"" : part, 1);
}

static inline void add_base64(blob *text, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t b = i + 1 < size ? bytes[i + 1] : 0, c = i + 2 < size ? bytes[i + 2] : 0;
        uint32_t bits = (uint32_t)bytes[i] << 16 | b << 8 | c;
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
                        digits[bits & 63]};
        for (size_t k = size - i; k < 3; k++) four[k + 1] = '=';
        blob_add(text, four, 4);
    }
}

// One change: the text `from`, which is there once, becomes `to`; or the bytes `to` of the buffer.
typedef struct gltf_edit {
    const char *from, *to;
    size_t at, size;  // Of bytes; size 0: an edit of the text.
} gltf_edit;

static inline blob edited_gltf(const gltf_edit *edit)
{
    blob text = {0};
    uint8_t bytes[GOOD_SIZE];
    const char *place = edit->from ? strstr(good_text, edit->from) : NULL;
    good_bytes(bytes);
    if (edit->size) memcpy(bytes + edit->at, edit->to, edit->size);
    CHECK(!edit->from || (place && !strstr(place + 1, edit->from)));
    if (!place) {
        add_text(&text, good_text);
    } else {
        for (const char *c = good_text; c < place; c++) blob_add(&text, *c == '\'' ? "\"" : c, 1);
        add_text(&text, edit->to);
        add_text(&text, place + strlen(edit->from));
    }
    add_base64(&text, bytes, GOOD_SIZE);
    add_text(&text, "'}]}\n");
    return text;
}

// -- Findings

// Whether a rule reported a place, with these words; and which others did.
typedef struct gltf_said {
    const char *rule, *path, *words;
    bool is_said;
    uint64_t others;  // Findings of other rules.
    char shown[512];  // The last finding that is not the wanted one.
} gltf_said;

static inline void gltf_listen(void *user, const tenon_finding *finding)
{
    gltf_said *said = user;
    bool is_rule = said->rule && strcmp(finding->rule->id, said->rule) == 0;
    if (is_rule && strcmp(finding->path, said->path) == 0 &&
        strstr(finding->message, said->words)) {
        said->is_said = true;
        return;
    }
    said->others += !is_rule;
    snprintf(said->shown, sizeof said->shown, "%s at %s: %s", finding->rule->id, finding->path,
             finding->message);
}

static inline void gltf_ask(const blob *file, const tenon_check_opts *opts, gltf_said *said)
{
    tenon_error err;
    tenon_doc *doc = tenon_read(file->data, file->size, &(tenon_read_opts){.format = "gltf"}, &err);
    CHECK(doc && tenon_check(doc, opts, gltf_listen, said, NULL, &err));
    tenon_doc_free(doc);
}

#endif  // TENON_TESTS_GLTF_EDIT_HELP_H

// sets_fbx.h: FBX files of a size that can be chosen, as text.
// SPDX-License-Identifier: MIT

#ifndef TENON_LIMITS_SETS_FBX_H
#define TENON_LIMITS_SETS_FBX_H

#include "set_text.h"

#define FBX_HEAD "; FBX 7.4.0 project file\n"

static inline void put_fbx_model(set_text *out, unsigned id, const char *kind)
{
    set_put(out, "Model: %u, \"Model::m%u\", \"%s\" { Version: 232\n }\n", id, id, kind);
}

static inline void put_fbx_link(set_text *out, unsigned child, unsigned parent)
{
    set_put(out, "C: \"OO\",%u,%u\n", child, parent);
}

static inline void put_fbx_property(set_text *out, unsigned child, unsigned parent,
                                    const char *name)
{
    set_put(out, "C: \"OP\",%u,%u,\"%s\"\n", child, parent, name);
}

// -- Models

static inline void put_fbx_chain(set_text *out, uint32_t n, const char *properties)
{
    set_put(out, FBX_HEAD "Objects: {\n");
    for (uint32_t i = 1; i <= n; i++)
        set_put(out, "Model: %u, \"Model::m\", \"Null\" { Properties70: { %s } }\n", (unsigned)i,
                properties);
    set_put(out, "}\nConnections: {\n");
    for (uint32_t i = 1; i <= n; i++) put_fbx_link(out, (unsigned)i, (unsigned)i - 1);
    set_put(out, "}\n");
}

static inline void make_fbx_chain(set_text *out, uint32_t n)
{
    put_fbx_chain(out, n, "P: \"Lcl Rotation\", \"\", \"\", \"A\",0,0,5\n");
}

// All scales are inherited.
static inline void make_fbx_scale_chain(set_text *out, uint32_t n)
{
    put_fbx_chain(out, n,
                  "P: \"InheritType\", \"\", \"\", \"\",0\n"
                  "P: \"Lcl Scaling\", \"\", \"\", \"A\",1,1,-1\n");
}

static inline void make_fbx_children(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: {\n");
    for (uint32_t i = 1; i <= n + 1; i++) put_fbx_model(out, (unsigned)i, "LimbNode");
    set_put(out, "}\nConnections: {\n");
    put_fbx_link(out, 1, 0);
    for (uint32_t i = 2; i <= n + 1; i++) put_fbx_link(out, (unsigned)i, 1);
    set_put(out, "}\n");
}

// -- Objects, properties and links

// Objects whose templates are in turn those of two of many classes.
static inline void make_fbx_classes(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Definitions: {\n");
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "ObjectType: \"%s%u\" { PropertyTemplate: \"Fbx\" { Properties70: {\n } } }\n",
                i + 2 < n ? "Other" : "Class", (unsigned)(i % 2));
    set_put(out, "}\nObjects: {\n");
    for (uint32_t i = 1; i <= n; i++)
        set_put(out, "Class%u: %u, \"\", \"\" {\n }\n", (unsigned)(i % 2), (unsigned)i);
    set_put(out, "}\n");
}

// Objects of one class of kinds in turn, with a template for each of many kinds.
static inline void make_fbx_kinds(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Definitions: { ObjectType: \"Model\" {\n");
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "PropertyTemplate: \"FbxK%u\" { Properties70: {\n } }\n", (unsigned)i);
    set_put(out, "} }\nObjects: {\n");
    for (uint32_t i = 1; i <= n; i++) put_fbx_model(out, (unsigned)i, i % 2 ? "K1" : "K2");
    set_put(out, "}\n");
}

static inline void put_fbx_properties(set_text *out, uint32_t n)
{
    set_put(out, "Properties70: {\n");
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "P: \"p%u\", \"double\", \"\", \"U\",1\n", (unsigned)i);
    set_put(out, "}\n");
}

static inline void make_fbx_properties(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: { Model: 1, \"Model::m\", \"Null\" {\n");
    put_fbx_properties(out, n);
    set_put(out, "}\nMaterial: 2, \"Material::m\", \"\" {\n");
    put_fbx_properties(out, n);
    set_put(out, "}\n}\nConnections: {\nC: \"OO\",1,0\n}\n");
}

// Many objects with a template of many properties.
static inline void make_fbx_defaults(set_text *out, uint32_t n)
{
    set_put(out,
            FBX_HEAD "Definitions: { ObjectType: \"Model\" { PropertyTemplate: \"FbxNode\" {\n");
    put_fbx_properties(out, n);
    set_put(out, "} } }\nObjects: {\n");
    for (uint32_t i = 1; i <= n; i++) put_fbx_model(out, (unsigned)i, "Null");
    set_put(out, "}\n");
}

static inline void make_fbx_wrong_links(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: {\n");
    for (uint32_t i = 1; i <= n; i++) put_fbx_model(out, (unsigned)i / 2, "Null");
    set_put(out, "}\nConnections: {\n");
    for (uint32_t i = 1; i <= n; i++) put_fbx_link(out, (unsigned)(n + i), 0);
    set_put(out, "}\n");
}

static inline void make_fbx_materials(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: {\n");
    for (uint32_t i = 1; i <= n; i++) {
        set_put(out, "Material: %u, \"Material::m\", \"\" {\n }\n", (unsigned)i);
        set_put(out, "Texture: %u, \"Texture::t\", \"\" { FileName: \"t%u.png\"\n }\n",
                (unsigned)(n + i), (unsigned)i);
    }
    set_put(out, "}\nConnections: {\n");
    for (uint32_t i = 1; i <= n; i++) {
        put_fbx_property(out, (unsigned)(n + i), (unsigned)i, "DiffuseColor");
        put_fbx_property(out, (unsigned)(n + i), 1, "NormalMap");
    }
    set_put(out, "}\n");
}

// Materials that all have the texture 1.
static inline void put_fbx_painted(set_text *out, uint32_t n, const char *property)
{
    for (uint32_t i = 1; i <= n; i++)
        set_put(out, "Material: %u, \"Material::m\", \"\" {\n }\n", (unsigned)(n + i));
    set_put(out, "}\nConnections: {\n");
    for (uint32_t i = 1; i <= n; i++) put_fbx_property(out, 1, (unsigned)(n + i), property);
}

static inline void make_fbx_texture_properties(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: {\n");
    set_put(out, "Texture: 1, \"Texture::t\", \"\" { FileName: \"t.png\"\n Properties70: {\n");
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "P: \"p%u\", \"double\", \"Number\", \"\",1\n", (unsigned)i);
    set_put(out, "}\n}\n");
    put_fbx_painted(out, n, "DiffuseColor");
    set_put(out, "}\n");
}

static inline void make_fbx_texture_layers(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: {\n");
    set_put(out, "LayeredTexture: 1, \"LayeredTexture::t\", \"\" {\n }\n");
    for (uint32_t i = 1; i <= n; i++)
        set_put(out, "Texture: %u, \"Texture::t\", \"\" { FileName: \"t%u.png\"\n }\n",
                (unsigned)(2 * n + i), (unsigned)i);
    put_fbx_painted(out, n, "DiffuseColor");
    for (uint32_t i = 1; i <= n; i++) put_fbx_link(out, (unsigned)(2 * n + i), 1);
    set_put(out, "}\n");
}

// Textures of one video, whose bytes are no picture.
static inline void make_fbx_videos(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: {\nVideo: 1, \"Video::v\", \"Clip\" { Content: , \"");
    for (uint32_t i = 0; i < n; i++) set_put(out, "AAAAAAAAAAAAAAAAAAAAAAAA");
    set_put(out, "\"\n }\n");
    for (uint32_t i = 1; i <= n; i++) {
        set_put(out, "Texture: %u, \"Texture::t\", \"\" {\n }\n", (unsigned)(n + i));
        set_put(out, "Material: %u, \"Material::m\", \"\" {\n }\n", (unsigned)(2 * n + i));
    }
    set_put(out, "}\nConnections: {\n");
    for (uint32_t i = 1; i <= n; i++) {
        put_fbx_link(out, 1, (unsigned)(n + i));
        put_fbx_property(out, (unsigned)(n + i), (unsigned)(2 * n + i), "DiffuseColor");
    }
    set_put(out, "}\n");
}

// -- Before version 6

// Models with materials and bones inside, and what a take says of them.
static inline void make_fbx_inside(set_text *out, uint32_t n)
{
    set_put(out, "; FBX 5.8.0 project file\n");
    for (uint32_t i = 0; i < n; i++)
        set_put(out,
                "Model: \"Model::m%u\" {\n Vertices: 0,0,0,1,0,0,1,1,0\n"
                "PolygonVertexIndex: 0,1,-3\n Material: \"Material::p%u\" {\n }\n"
                "Link: \"Model::m%u\" {\n Indexes: 0\n Weights: 1\n }\n }\n",
                (unsigned)i, (unsigned)(i % 7), (unsigned)(n - 1 - i));
    set_put(out, "Takes: {\n Take: \"t\" {\n");
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "Model: \"Model::m%u\" {\n Channel: \"Transform\" {\n }\n }\n", (unsigned)i);
    set_put(out, "}\n }\n");
}

// A list with a comment after each number, with braces that do not count.
static inline void make_fbx_comments(set_text *out, uint32_t n)
{
    set_put(out,
            FBX_HEAD "Objects: { Geometry: 1, \"Geometry::g\", \"Mesh\" {\n Vertices: *1 { a: 0");
    for (uint32_t i = 0; i < n; i++) set_put(out, ", ; } 1, 2\n%u", (unsigned)i);
    set_put(out, "\n}\n }\n }\n");
}

// -- Meshes

#define FBX_SQUARE                                    \
    "Vertices: *12 { a: 0,0,0,2,0,0,2,1,0,0,1,0\n}\n" \
    "PolygonVertexIndex: *4 { a: 0,1,2,-4\n}\n"

static inline void put_fbx_square(set_text *out)
{
    set_put(out, FBX_HEAD "Objects: { Geometry: 1, \"Geometry::g\", \"Mesh\" {\n" FBX_SQUARE);
}

static inline void make_fbx_layers(set_text *out, uint32_t n)
{
    put_fbx_square(out);
    for (uint32_t i = 0; i < n; i++)
        set_put(out,
                "LayerElementUV: %u { MappingInformationType: \"AllSame\"\n"
                "UV: *2 { a: 0,1\n} }\n",
                (unsigned)i);
    set_put(out, "}\n");
    put_fbx_model(out, 2, "Mesh");
    set_put(out, "}\nConnections: {\nC: \"OO\",2,0\nC: \"OO\",1,2\n}\n");
}

// Triangles around one point that are smooth, by groups or by edges.
static inline void put_fbx_smooth(set_text *out, uint32_t n, bool by_edge)
{
    set_put(out, FBX_HEAD "Objects: { Geometry: 1, \"Geometry::g\", \"Mesh\" {\n");
    set_put(out, "Vertices: *1 { a: 0,0,0");
    for (uint32_t i = 0; i < n; i++) set_put(out, ",1,%u,0", (unsigned)i);
    set_put(out, "\n}\nPolygonVertexIndex: *1 { a: 0,1,-3");
    for (uint32_t i = 2; i < n; i++) set_put(out, ",0,%u,-%u", (unsigned)i, (unsigned)i + 2);
    set_put(out, "\n}\nEdges: *1 { a: 0");
    for (uint32_t i = 3; i < 3 * n; i += 3) set_put(out, ",%u", (unsigned)i);
    set_put(out,
            "\n}\nLayerElementSmoothing: 0 { MappingInformationType: \"%s\"\nSmoothing: *1 { a: 1",
            by_edge ? "ByEdge" : "ByPolygon");
    for (uint32_t i = 1; i < n; i++) set_put(out, ",%d", by_edge ? 1 : (int)(i * 5 % 4096));
    set_put(out, "\n} } }\n");
    put_fbx_model(out, 2, "Mesh");
    set_put(out, "}\nConnections: {\nC: \"OO\",2,0\nC: \"OO\",1,2\n}\n");
}

static inline void make_fbx_smooth_polygons(set_text *out, uint32_t n)
{
    put_fbx_smooth(out, n, false);
}

static inline void make_fbx_smooth_edges(set_text *out, uint32_t n)
{
    put_fbx_smooth(out, n, true);
}

static inline void make_fbx_instances(set_text *out, uint32_t n)
{
    put_fbx_square(out);
    set_put(out, "}\n");
    for (uint32_t i = 2; i < n + 2; i++) put_fbx_model(out, (unsigned)i, "Mesh");
    set_put(out, "}\nConnections: {\n");
    for (uint32_t i = 2; i < n + 2; i++) {
        put_fbx_link(out, (unsigned)i, 0);
        put_fbx_link(out, 1, (unsigned)i);
    }
    set_put(out, "}\n");
}

#define FBX_IDENTITY "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1"

// A skinned mesh at many nodes, which need joints of their own.
static inline void make_fbx_skin_instances(set_text *out, uint32_t n)
{
    put_fbx_square(out);
    set_put(out, "}\n");
    set_put(out, "Deformer: 2, \"\", \"Skin\" {\n }\nDeformer: 3, \"\", \"Cluster\" {\n"
                 "Indexes: *4 { a: 0,1,2,3\n}\nWeights: *4 { a: 1,1,1,1\n}\n"
                 "Transform: *16 { a: " FBX_IDENTITY "\n}\n"
                 "TransformLink: *16 { a: " FBX_IDENTITY "\n}\n}\n");
    put_fbx_model(out, 4, "LimbNode");
    for (uint32_t i = 5; i < n + 5; i++)
        set_put(out,
                "Model: %u, \"Model::m\", \"Mesh\" { Properties70: {"
                "P: \"Lcl Translation\", \"\", \"\", \"A\",%u,0,0\n} }\n",
                (unsigned)i, (unsigned)i);
    set_put(out, "}\nConnections: {\nC: \"OO\",2,1\nC: \"OO\",3,2\nC: \"OO\",4,3\nC: \"OO\",4,0\n");
    for (uint32_t i = 5; i < n + 5; i++) {
        put_fbx_link(out, (unsigned)i, 0);
        put_fbx_link(out, 1, (unsigned)i);
    }
    set_put(out, "}\n");
}

static inline void make_fbx_clusters(set_text *out, uint32_t n)
{
    put_fbx_square(out);
    set_put(out, "}\nDeformer: 2, \"\", \"Skin\" {\n }\n");
    put_fbx_model(out, 3, "Mesh");
    for (uint32_t i = 4; i < n + 4; i++) {
        set_put(out, "Deformer: %u, \"\", \"Cluster\" { Indexes: *1 { a: %u\n}\n", (unsigned)i,
                (unsigned)i % 4);
        set_put(out, "Weights: *1 { a: 1\n}\n}\n");
        put_fbx_model(out, (unsigned)(n + i), "LimbNode");
    }
    set_put(out, "}\nConnections: {\nC: \"OO\",3,0\nC: \"OO\",1,3\nC: \"OO\",2,1\n");
    for (uint32_t i = 4; i < n + 4; i++) {
        put_fbx_link(out, (unsigned)i, 2);
        put_fbx_link(out, (unsigned)(n + i), (unsigned)i);
        put_fbx_link(out, (unsigned)(n + i), 0);
    }
    set_put(out, "}\n");
}

// Before version 7: shapes in a model, and its properties with their percentages.
static inline void make_fbx_old_shapes(set_text *out, uint32_t n)
{
    set_put(out, "; FBX 6.1.0 project file\nObjects: { Model: \"Model::m\", \"Mesh\" {\n"
                 "Properties60: {\n");
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "Property: \"s%u\", \"Shape\", \"A+\",50\n", (unsigned)i);
    set_put(out, "}\n" FBX_SQUARE);
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "Shape: \"s%u\" { Indexes: 1\nVertices: 0,0,1\n }\n", (unsigned)i);
    set_put(out, "} }\nConnections: { Connect: \"OO\", \"Model::m\", \"Model::Scene\"\n }\n"
                 "Takes: { Take: \"t\" { Model: \"Model::m\" {\n");
    for (uint32_t i = 0; i < n; i++)
        set_put(out, "Channel: \"s%u\" { KeyVer: 4005\nKey: 0,0,L,46186158000,100,L\n }\n",
                (unsigned)i);
    set_put(out, "} } }\n");
}

// -- Motion

#define FBX_KEYS                                                  \
    "KeyVer: 4009\nKeyTime: *2 { a: 0,46186158000\n}\n"           \
    "KeyValueFloat: *2 { a: 0,1\n}\nKeyAttrFlags: *1 { a: 4\n}\n" \
    "KeyAttrDataFloat: *4 { a: 0,0,0,0\n}\nKeyAttrRefCount: *1 { a: 2\n}\n"

// Stacks with a layer each, and the section that files had before.
static inline void make_fbx_takes(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: {\n");
    for (uint32_t i = 1; i <= n; i++)
        set_put(out, "AnimationStack: %u, \"AnimStack::rig|t%u\", \"\" {\n }\n", (unsigned)i,
                (unsigned)i / 2);
    set_put(out, "}\nTakes: {\n");
    for (uint32_t i = 1; i <= n; i++)
        set_put(out, "Take: \"rig|t%u\" { LocalTime: 0,1000\n }\n", (unsigned)i);
    set_put(out, "}\n");
}

// Curves of many properties of one model, or of one property of many.
static inline void put_fbx_curves(set_text *out, uint32_t n, bool is_one)
{
    unsigned first = n + 10;
    set_put(out, FBX_HEAD "Objects: { AnimationStack: 1, \"AnimStack::t\", \"\" {\n }\n"
                          "AnimationLayer: 2, \"AnimLayer::l\", \"\" {\n }\n");
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || !is_one) put_fbx_model(out, 3 + (unsigned)i, "Null");
        set_put(out, "AnimationCurveNode: %u, \"AnimCurveNode::T\", \"\" {\n }\n",
                first + 2 * (unsigned)i);
        set_put(out, "AnimationCurve: %u, \"AnimCurve::\", \"\" {\n" FBX_KEYS "}\n",
                first + 2 * (unsigned)i + 1);
    }
    set_put(out, "}\nConnections: { C: \"OO\",2,1\n");
    for (uint32_t i = 0; i < n; i++) {
        unsigned node = first + 2 * (unsigned)i, model = is_one ? 3 : 3 + (unsigned)i;
        char name[32] = "Lcl Translation";
        if (is_one) snprintf(name, sizeof name, "p%u", (unsigned)i);
        if (i == 0 || !is_one) put_fbx_link(out, model, 0);
        put_fbx_link(out, node, 2);
        put_fbx_property(out, node, model, name);
        put_fbx_property(out, node + 1, node, "d|X");
    }
    set_put(out, "}\n");
}

static inline void make_fbx_curves(set_text *out, uint32_t n)
{
    put_fbx_curves(out, n, false);
}

static inline void make_fbx_one_animated(set_text *out, uint32_t n)
{
    put_fbx_curves(out, n, true);
}

// Layers that all move one model.
static inline void make_fbx_anim_layers(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: { AnimationStack: 1, \"AnimStack::t\", \"\" {\n }\n");
    put_fbx_model(out, 2, "Null");
    for (uint32_t i = 0; i < n; i++) {
        set_put(out, "AnimationLayer: %u, \"AnimLayer::l\", \"\" {\n }\n", 3 + 3 * (unsigned)i);
        set_put(out, "AnimationCurveNode: %u, \"AnimCurveNode::T\", \"\" {\n }\n",
                4 + 3 * (unsigned)i);
        set_put(out, "AnimationCurve: %u, \"AnimCurve::\", \"\" {\n" FBX_KEYS "}\n",
                5 + 3 * (unsigned)i);
    }
    set_put(out, "}\nConnections: { C: \"OO\",2,0\n");
    for (uint32_t i = 0; i < n; i++) {
        unsigned layer = 3 + 3 * (unsigned)i;
        put_fbx_link(out, layer, 1);
        put_fbx_link(out, layer + 1, layer);
        put_fbx_property(out, layer + 1, 2, "Lcl Translation");
        put_fbx_property(out, layer + 2, layer + 1, "d|X");
    }
    set_put(out, "}\n");
}

// Keys of one curve, which needs keys between them.
static inline void make_fbx_keys(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: { AnimationStack: 1, \"AnimStack::t\", \"\" {\n }\n"
                          "AnimationLayer: 2, \"AnimLayer::l\", \"\" {\n }\n");
    put_fbx_model(out, 3, "Null");
    set_put(out, "AnimationCurveNode: 4, \"AnimCurveNode::T\", \"\" {\n }\n"
                 "AnimationCurve: 5, \"AnimCurve::\", \"\" { KeyVer: 4009\nKeyTime: *1 { a: 0");
    for (uint32_t i = 1; i < n; i++) set_put(out, ",%u00000000", (unsigned)i);
    set_put(out, "\n}\nKeyValueFloat: *1 { a: 0");
    for (uint32_t i = 1; i < n; i++) set_put(out, ",%u", (unsigned)i % 3);
    set_put(out,
            "\n}\nKeyAttrFlags: *1 { a: 264\n}\nKeyAttrDataFloat: *4 { a: 0,0,0,0\n}\n"
            "KeyAttrRefCount: *1 { a: %u\n}\n}\n}\n",
            (unsigned)n);
    set_put(out, "Connections: { C: \"OO\",3,0\nC: \"OO\",2,1\nC: \"OO\",4,2\n"
                 "C: \"OP\",4,3,\"Lcl Translation\"\nC: \"OP\",5,4,\"d|X\"\n}\n");
}

// -- The text

static inline void make_fbx_words(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: {\n");
    set_repeat(out, "A: 1, \"a&quot;b\", x, 2.5 { B: 1,2,3\n ; comment\n }\n", n);
    set_put(out, "}\n");
}

static inline void make_fbx_numbers(set_text *out, uint32_t n)
{
    set_put(out, FBX_HEAD "Objects: { Geometry: 1, \"\", \"Mesh\" { Vertices: *1 { a: 0");
    set_repeat(out, ",-1.25,nan,7e-3", n);
    set_put(out, "\n} } }\n");
}

#endif  // TENON_LIMITS_SETS_FBX_H

// fbx.h: the document of an FBX file, binary or text: a tree of named nodes with values.
// SPDX-License-Identifier: MIT
//
// Both kinds of files give the same tree. Arrays stay as they are stored, compressed or as text.
// What the nodes mean is found out by tenon_to_scene(), tenon_check() and tenon_doc_info().

#ifndef TENON_FBX_H
#define TENON_FBX_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Dialect flags.
enum {
    TENON_FBX_TEXT = 1 << 0,  // The file is text.
};

// How the numbers of an array are stored.
enum {
    TENON_FBX_RAW = 0,      // Binary: one after the other.
    TENON_FBX_DEFLATE = 1,  // Binary: the same as a zlib stream.
    TENON_FBX_LIST = 2,     // Binary: values of one type, each with its code in front.
    TENON_FBX_DIGITS = 3,   // Text: numbers and commas.
};

typedef struct tenon_fbx_array {
    uint32_t count;        // Numbers; in a text file, those that are there.
    uint32_t encoding;     // TENON_FBX_RAW and so on.
    uint32_t stored_size;  // Binary: bytes of the data; 0 for TENON_FBX_LIST.
    uint64_t offset;       // Of the data in the file that was read.
    tenon_span data;       // As stored.
} tenon_fbx_array;

// One value. The code says which member is set:
//
//     C B      integer  u8: a flag or a letter          b c   array   of u8
//     Y I L    integer  i16, i32, i64                   i l   array   of i32, i64
//     F D      single, number                           f d   array   of f32, f64
//     S        text                                     R     array   of unknown bytes
//
// Before version 7, arrays are lists of values: one for each number. If a node has at least
// TENON_FBX_LIST_MIN values, and all are of the same type Y, I, L, F or D, then they are one value
// with that type's array code (i for Y) and an array of TENON_FBX_LIST or TENON_FBX_DIGITS.
//
// In a text file, whole numbers are L, others are D, a single letter outside of quotes is C, and a
// longer word is S.
typedef struct tenon_fbx_value {
    char code;
    union {
        int64_t integer;
        float single;
        double number;
        tenon_str text;
        tenon_fbx_array *array;
    };
} tenon_fbx_value;

enum { TENON_FBX_LIST_MIN = 32 };

// What ends the list of a node's children.
enum {
    TENON_FBX_NO_LIST = 0,     // There is no list.
    TENON_FBX_TERMINATED = 1,  // A record of zeros; braces in a text file.
    TENON_FBX_OPEN = 2,        // Only the end of the node, or of the file.
};

typedef struct tenon_fbx_node {
    tenon_str name;
    uint64_t offset;           // Of its first byte in the file that was read.
    uint64_t end_offset;       // Binary: of the first byte after it, as stored.
    uint64_t property_count;   // Binary: values as stored, each number of a list counted.
    uint64_t properties_size;  // Binary: bytes of all values.
    uint32_t value_count;
    tenon_fbx_value *values;
    uint32_t child_list;  // TENON_FBX_NO_LIST and so on.
    uint32_t child_count;
    struct tenon_fbx_node *children;
} tenon_fbx_node;

// The two forms of a footer.
enum {
    TENON_FBX_NO_FOOTER = 0,  // None, or one that is not known: its bytes are `trailing`.
    TENON_FBX_PADDED = 1,     // FBX SDK: padding, then the length of an extension.
    TENON_FBX_SPACED = 2,     // Blender: four zeros, then the padding.
};

typedef struct tenon_fbx_footer {
    uint32_t kind;              // TENON_FBX_NO_FOOTER and so on.
    uint8_t file_code[16];      // A checksum of the time of creation.
    tenon_span padding;         // Zeros up to a multiple of 16.
    uint32_t extension_length;  // TENON_FBX_PADDED: bytes of the list in front of it.
    uint32_t version;
    tenon_span zeros;  // 120
} tenon_fbx_footer;

typedef struct tenon_fbx {
    tenon_doc base;
    uint32_t version;  // Of the content, such as 7400; 0: unknown.
    bool is_text;
    uint8_t is_big_endian;       // Binary: 0 or 1.
    uint32_t container_version;  // Binary: in the header; 3000 for all files before 6.0.
    tenon_fbx_node root;         // Without a name; the nodes of the top level are its children.
    tenon_fbx_footer footer;     // Binary, as are the next two.
    tenon_fbx_node extension;    // Before 7.0: the second list of nodes, after the footer;
    tenon_fbx_footer extension_footer;  // it has child_list TENON_FBX_NO_LIST if there is none.
    uint32_t text_size;                 // Text: bytes of the file,
    tenon_str text;  // borrowed, as is everything that does not have to be decoded.
                     // Files are written from it; changes of nodes have no effect, unless
                     // tenon_change() makes the document a binary one.
} tenon_fbx;

// `doc` as an FBX document, or NULL if it has another format.
TENON_API tenon_fbx *tenon_as_fbx(tenon_doc *doc);

// The length of the file's unit in meters: 0.01, unless the file says something else. Scenes are in
// meters. 0 for NULL.
TENON_API double tenon_fbx_unit(const tenon_fbx *doc);

#ifdef __cplusplus
}
#endif
#endif  // TENON_FBX_H

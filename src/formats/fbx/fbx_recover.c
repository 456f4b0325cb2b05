// fbx_recover.c: complete a document that was read from a damaged file.
// SPDX-License-Identifier: MIT

#include "core/text/text.h"
#include "formats/fbx/fbx_format.h"
#include "formats/fbx/fbx_text.h"

#include <string.h>

// What is left of an array. Compressed data that is incomplete cannot be decoded.
static bool fbx_recover_array(tenon_fbx_value *value)
{
    tenon_fbx_array *array = value->array;
    bool is_cut = array->encoding == TENON_FBX_DEFLATE && array->data.size < array->stored_size;
    if (!is_cut) return true;
    array->encoding = TENON_FBX_RAW;
    array->data =
        (tenon_span){.layout = fbx_array_layout(value->code), .big_endian = array->data.big_endian};
    return false;
}

// Returns how many arrays are lost.
static uint64_t fbx_recover_nodes(tenon_fbx_node *parent)
{
    uint64_t lost = 0;
    if (parent->child_list == TENON_FBX_OPEN) parent->child_list = TENON_FBX_TERMINATED;
    for (uint32_t i = 0; i < parent->child_count; i++) {
        tenon_fbx_node *node = &parent->children[i];
        for (uint32_t k = 0; k < node->value_count; k++)
            if (fbx_array_layout(node->values[k].code))
                lost += !fbx_recover_array(&node->values[k]);
        lost += fbx_recover_nodes(node);
    }
    return lost;
}

// -- The footer

static void fbx_recover_mix(uint8_t a[FBX_CODE_SIZE], const uint8_t b[FBX_CODE_SIZE])
{
    uint8_t c = 0x40;
    for (int i = 0; i < FBX_CODE_SIZE; i++) {
        a[i] ^= (uint8_t)(c ^ b[i]);
        c = a[i];
    }
}

void fbx_file_code(const tenon_fbx *doc, uint8_t code[FBX_CODE_SIZE], uint8_t id[FBX_CODE_SIZE])
{
    static const uint8_t start[FBX_CODE_SIZE] = {0x58, 0xAB, 0xA9, 0xF0, 0x6C, 0xA2, 0xD8, 0x3F,
                                                 0x4D, 0x47, 0x49, 0xA3, 0xB4, 0xB2, 0xE7, 0x3D};
    static const uint8_t key[FBX_CODE_SIZE] = {0xE2, 0x4F, 0x7B, 0x5F, 0xCD, 0xE4, 0xC8, 0x6D,
                                               0xDB, 0xD8, 0xFB, 0xD7, 0x40, 0x58, 0xC6, 0x78};
    // Second, month, hour, day, hundredth, year, minute: where their digits are.
    static const uint8_t digits[FBX_CODE_SIZE] = {17, 18, 5, 6, 11, 12, 8,  9,
                                                  20, 21, 0, 1, 2,  3,  14, 15};
    tenon_str time = fbx_text(fbx_child(&doc->root, "CreationTime"), 0);
    uint8_t t[FBX_CODE_SIZE];
    if (time.size < 23) time = (tenon_str){"1970-01-01 10:00:00:000", 23};
    for (int i = 0; i < FBX_CODE_SIZE; i++) t[i] = (uint8_t)time.data[digits[i]];
    memcpy(id, start, FBX_CODE_SIZE);
    fbx_recover_mix(id, t);
    if (!code) return;
    memcpy(code, id, FBX_CODE_SIZE);
    fbx_recover_mix(code, key);
    fbx_recover_mix(code, t);
}

void fbx_set_footer(tenon_fbx *doc)
{
    uint8_t id[FBX_CODE_SIZE];
    doc->footer = (tenon_fbx_footer){.kind = TENON_FBX_PADDED, .version = doc->version};
    fbx_file_code(doc, doc->footer.file_code, id);
}

bool fbx_recover(void *any, const tn_change *change)
{
    tenon_fbx *doc = any;
    if (doc->is_text) return fbx_text_recover(doc, change->arena, change->err);
    uint64_t lost = fbx_recover_nodes(&doc->root);
    tn_change_report(change, TENON_DROPPED, "arrays", lost, "their compressed data is incomplete");
    if (doc->root.child_list == TENON_FBX_NO_LIST) doc->root.child_list = TENON_FBX_TERMINATED;
    bool has_extension = doc->extension.child_list != TENON_FBX_NO_LIST;
    if (change->is_cut && has_extension) doc->extension = (tenon_fbx_node){0};
    if (doc->footer.kind != TENON_FBX_NO_FOOTER) return true;
    fbx_set_footer(doc);
    tn_change_report(change, TENON_SYNTHESIZED, "footers", 1, "the end of the file is missing");
    return true;
}

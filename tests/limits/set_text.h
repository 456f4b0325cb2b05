// set_text.h: text and bytes that grow, and GLB files made of them.
// SPDX-License-Identifier: MIT

#ifndef TENON_LIMITS_SET_TEXT_H
#define TENON_LIMITS_SET_TEXT_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct set_text {
    char *data;
    size_t size, room;
} set_text;

static inline void set_put_bytes(set_text *t, const void *bytes, size_t size)
{
    if (size == 0) return;
    if (size > t->room - t->size) {
        t->room = 2 * (t->size + size);
        t->data = realloc(t->data, t->room);
        if (!t->data) abort();
    }
    memcpy(t->data + t->size, bytes, size);
    t->size += size;
}

static inline void set_put(set_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline void set_put(set_text *t, const char *fmt, ...)
{
    char line[1024];
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    if (size < 0 || (size_t)size >= sizeof line) abort();
    set_put_bytes(t, line, (size_t)size);
}

// `count` times the same text.
static inline void set_repeat(set_text *t, const char *text, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) set_put_bytes(t, text, strlen(text));
}

static inline void set_put_u32(set_text *t, uint32_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    set_put_bytes(t, bytes, sizeof bytes);
}

static inline void set_put_f32(set_text *t, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    set_put_u32(t, bits);
}

#define FLOOD_SIZE 98

// Name number `i` of 16,384 whose FNV-1a hashes of 64 bits, the usual ones, are the same in their
// low 47 bits: they have one slot in every table of up to 32,768, also if halves are mixed.
// Both texts of a pair lead to the same bits, found by search; that depends on the lowest bits
// alone, which are the same again after three pairs.
static inline const char *set_flood_name(uint32_t i, char name[FLOOD_SIZE + 1])
{
    static const char *const pairs[3][2] = {
        {"sk21nja", "ntxubo4"}, {"bmb6zy5", "qn6ezmn"}, {"7j4zlj2", "k2ylwyg"}};
    for (uint32_t block = 0; block < FLOOD_SIZE / 7; block++)
        memcpy(name + 7 * block, pairs[block % 3][i >> block & 1], 7);
    name[FLOOD_SIZE] = '\0';
    return name;
}

// A GLB file of a text and a buffer, which are freed.
static inline void set_put_glb(set_text *out, set_text *json, set_text *bin)
{
    while (json->size % 4) set_put_bytes(json, " ", 1);
    while (bin->size % 4) set_put_bytes(bin, "", 1);
    set_put_bytes(out, "glTF\2\0\0\0", 8);
    set_put_u32(out, (uint32_t)(28 + json->size + bin->size));
    set_put_u32(out, (uint32_t)json->size);
    set_put_bytes(out, "JSON", 4);
    set_put_bytes(out, json->data, json->size);
    set_put_u32(out, (uint32_t)bin->size);
    set_put_bytes(out, "BIN\0", 4);
    set_put_bytes(out, bin->data, bin->size);
    free(json->data);
    free(bin->data);
}

#endif  // TENON_LIMITS_SET_TEXT_H

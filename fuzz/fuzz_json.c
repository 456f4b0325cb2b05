// fuzz_json.c: any bytes are tokenized without harm; what is accepted survives being written again.
// SPDX-License-Identifier: MIT

#include "core/json/json.h"
#include "core/json/json_write.h"
#include "core/text/number.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct text {
    char *data;
    size_t size, room;
} text;

static bool append(void *user, const void *bytes, size_t size)
{
    text *t = user;
    if (size > t->room - t->size) {
        t->room = 2 * (t->size + size);
        t->data = realloc(t->data, t->room);
        if (!t->data) abort();
    }
    memcpy(t->data + t->size, bytes, size);
    t->size += size;
    return true;
}

static char *decoded(const tn_json_token *token, size_t *size)
{
    char *out = malloc(token->size + 1);
    if (!out) abort();
    *size = tn_json_decode(token, out);
    if (*size > token->size || tn_json_decode(token, NULL) != *size) abort();
    return out;
}

// Write the current token of `json`.
static void copy_token(const tn_json *json, tn_json_writer *w, tn_json_layout layout)
{
    const tn_json_token *token = &json->token;
    size_t size = 0;
    char *string = NULL;
    if (token->kind == TN_JSON_KEY || token->kind == TN_JSON_STRING) string = decoded(token, &size);
    switch (token->kind) {
    case TN_JSON_OBJECT_BEGIN:
        tn_json_put_object_begin(w, layout);
        break;
    case TN_JSON_OBJECT_END:
        tn_json_put_object_end(w);
        break;
    case TN_JSON_ARRAY_BEGIN:
        tn_json_put_array_begin(w, layout);
        break;
    case TN_JSON_ARRAY_END:
        tn_json_put_array_end(w);
        break;
    case TN_JSON_KEY:
        tn_json_put_key_bytes(w, string, size);
        break;
    case TN_JSON_STRING:
        tn_json_put_string_bytes(w, string, size);
        break;
    case TN_JSON_TRUE:
        tn_json_put_bool(w, true);
        break;
    case TN_JSON_FALSE:
        tn_json_put_bool(w, false);
        break;
    case TN_JSON_NULL:
        tn_json_put_null(w);
        break;
    default:
        tn_json_put_raw(w, token->text, token->size);
        break;
    }
    free(string);
}

// Whether a text is accepted; if so, it is also written to `out`.
static bool copy(const void *data, size_t size, text *out, tn_json_layout layout)
{
    tn_json json;
    tn_json_writer w;
    uint64_t last = 0;
    tn_json_begin(&json, data, size, 0);
    tn_json_writer_begin(&w, append, out, 1);
    while (tn_json_next(&json) > TN_JSON_END) {
        if (json.token.offset < last || json.token.offset >= size) abort();
        last = json.token.offset;
        copy_token(&json, &w, layout);
    }
    if (json.token.kind == TN_JSON_ERROR) {
        if (json.error.offset > size || !json.error.message[0]) abort();
        return false;
    }
    if (!tn_json_writer_end(&w)) abort();
    return true;
}

// A number that is accepted has the same value in every text that we write for it.
static void check_number(const uint8_t *data, size_t size)
{
    double v, again;
    char shortest[TN_NUMBER_MAX];
    if (!tn_f64_parse((const char *)data, size, &v)) return;
    size_t shortest_size = tn_f64_text(v, shortest);
    if (!tn_f64_parse(shortest, shortest_size, &again)) abort();
    if (memcmp(&v, &again, sizeof v) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    text block = {0}, line = {0}, again = {0};
    check_number(data, size);
    if (copy(data, size, &block, TN_JSON_BLOCK)) {
        // Written in either layout and read again, it is the same text.
        if (!copy(block.data, block.size, &line, TN_JSON_INLINE)) abort();
        if (!copy(line.data, line.size, &again, TN_JSON_BLOCK)) abort();
        if (again.size != block.size || memcmp(again.data, block.data, block.size) != 0) abort();
    }
    free(block.data);
    free(line.data);
    free(again.data);
    return 0;
}

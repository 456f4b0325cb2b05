// json.h: a pull tokenizer for JSON (RFC 8259) in memory.
// SPDX-License-Identifier: MIT

#ifndef TN_CORE_JSON_JSON_H
#define TN_CORE_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- Use
//
//     tn_json json;
//     tn_json_begin(&json, data, size, 0);
//     while (tn_json_next(&json) > TN_JSON_END) use(&json.token);
//     if (json.token.kind == TN_JSON_ERROR) complain(json.error.offset, json.error.message);
//
// Strict: it accepts nothing that the RFC does not allow, checks each token before it returns it,
// and always returns correct nesting. One pass, no allocation, no look ahead: a gigabyte that is
// mapped and not yet in memory is read as the tokens are pulled. Names that occur twice in an
// object are left to the caller.

#define TN_JSON_MAX_DEPTH 1024

typedef enum tn_json_kind {
    TN_JSON_ERROR,  // See `error`; all further tokens are this one.
    TN_JSON_END,    // The text is complete; all further tokens are this one.
    TN_JSON_OBJECT_BEGIN,
    TN_JSON_OBJECT_END,
    TN_JSON_ARRAY_BEGIN,
    TN_JSON_ARRAY_END,
    TN_JSON_KEY,  // The value is the next token.
    TN_JSON_STRING,
    TN_JSON_NUMBER,
    TN_JSON_TRUE,
    TN_JSON_FALSE,
    TN_JSON_NULL,
} tn_json_kind;

typedef struct tn_json_token {
    tn_json_kind kind;
    bool has_escapes;  // KEY, STRING: there is a backslash in `text`.
    uint64_t offset;   // Of the first byte; of a string that is the opening quote.
    const char
        *text;    // KEY, STRING: the text between the quotes, escapes included; else the token.
    size_t size;  // Of `text`, which is not terminated and points into the data.
} tn_json_token;

typedef enum tn_json_code {
    TN_JSON_OK,
    TN_JSON_ERR_EMPTY,         // Nothing but white space.
    TN_JSON_ERR_CUT,           // The end, inside a value. The offset is the size.
    TN_JSON_ERR_BOM,           // A byte order mark.
    TN_JSON_ERR_VALUE,         // Something else where a value is expected.
    TN_JSON_ERR_KEY,           // Something else where a key is expected.
    TN_JSON_ERR_COLON,         // No colon after a key.
    TN_JSON_ERR_ARRAY_COMMA,   // Neither comma nor bracket after an item.
    TN_JSON_ERR_OBJECT_COMMA,  // Neither comma nor brace after a member.
    TN_JSON_ERR_SPARE_COMMA,   // A comma before the closing bracket or brace.
    TN_JSON_ERR_REST,          // More than white space after the value.
    TN_JSON_ERR_COMMENT,       // A slash between tokens.
    TN_JSON_ERR_LEADING_ZERO,  // A number like 012.
    TN_JSON_ERR_DIGIT,         // A number without a digit where one is expected.
    TN_JSON_ERR_CONTROL,       // A control character in a string.
    TN_JSON_ERR_ESCAPE,        // A backslash before something else than "\/bfnrtu.
    TN_JSON_ERR_HEX,           // \u without four hexadecimal digits.
    TN_JSON_ERR_SURROGATE,     // \u with one half of a pair.
    TN_JSON_ERR_UTF8,          // Bytes in a string that are not UTF-8.
    TN_JSON_ERR_DEPTH,         // Nesting beyond the limit.
    TN_JSON_CODE_COUNT
} tn_json_code;

typedef struct tn_json_error {
    tn_json_code code;
    uint64_t offset;      // Of the byte at fault.
    const char *message;  // A constant, never NULL.
} tn_json_error;

typedef struct tn_json {
    tn_json_token token;  // The last one; valid until the next call.
    tn_json_error error;  // When the kind is TN_JSON_ERROR.
    uint32_t depth;       // Objects and arrays that are open, after the token.

    // Private.
    const uint8_t *data;
    size_t size, pos;
    uint32_t max_depth;
    int expected;
    uint64_t is_object[TN_JSON_MAX_DEPTH / 64];  // One bit for each level that is open.
} tn_json;

// Start at the beginning of `data`, which must outlive the tokens. Nothing needs to be freed.
//
// `max_depth` is how many objects and arrays may be open at once; 0 or more than TN_JSON_MAX_DEPTH
// means TN_JSON_MAX_DEPTH.
void tn_json_begin(tn_json *json, const void *data, size_t size, uint32_t max_depth);

// Go to the next token. Returns its kind, which is also in `json->token`.
tn_json_kind tn_json_next(tn_json *json);

// Write the text of a KEY or STRING, escapes resolved, to `out`, which has room for `token->size`
// bytes, which is always enough. `out` may be NULL, to measure.
//
// Not terminated, and there may be NULs in it. Returns the number of bytes.
size_t tn_json_decode(const tn_json_token *token, char *out);

// Whether the text of a KEY or STRING, escapes resolved, is `text`.
bool tn_json_is(const tn_json_token *token, const char *text);

// Line and column, from 1, of a byte. Columns count bytes. An `offset` beyond `size` is taken for
// `size`. Takes time in proportion to `offset`, so for messages only.
void tn_json_place(const void *data, size_t size, uint64_t offset, uint64_t *line,
                   uint64_t *column);

#endif  // TN_CORE_JSON_JSON_H

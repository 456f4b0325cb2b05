// json_in.c: reading small JSON files of the tool itself.
// SPDX-License-Identifier: MIT

#include "batch/json_in.h"

#include "input/paths.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 32

static bool json_in_fail(json_in *in, const char *at, const char *problem)
{
    if (in->problem) return false;
    in->problem = problem;
    in->line = 1;
    for (const char *c = in->text; c < at; c++) in->line += *c == '\n';
    return false;
}

static char *json_in_skip_space(char *at)
{
    return at + strspn(at, " \t\r\n");
}

// Write a code point as UTF-8.
static char *json_in_put(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    }
    return to;
}

// A string in place; *at is its quote and then what follows it. Pairs of \u escapes are refused.
static const char *json_in_string(json_in *in, char **at)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char *text = *at + 1, *to = text, *from = text;
    while (*from != '"') {
        if ((unsigned char)*from < 0x20) {
            json_in_fail(in, from, "a string does not end");
            return NULL;
        }
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        const char *name = from[1] ? strchr(names, from[1]) : NULL;
        char digits[5] = "", *end = digits;
        for (int i = 0; i < 4 && from[1] == 'u' && from[2 + i]; i++) digits[i] = from[2 + i];
        uint32_t code = (uint32_t)strtoul(digits, &end, 16);
        bool is_code = end == digits + 4 && code && (code < 0xD800 || code > 0xDFFF);
        if (!name && !is_code) {
            json_in_fail(in, from, "a string has an escape that is not known");
            return NULL;
        }
        if (name)
            *to++ = meanings[name - names];
        else
            to = json_in_put(to, code);
        from += name ? 2 : 6;
    }
    *at = from + 1;
    *to = '\0';
    return text;
}

static json_value *json_in_value(json_in *in, char **at, uint32_t depth);

// The items of an array, or the members of an object, up to the bracket at the end.
static bool json_in_items(json_in *in, json_value *list, char **at, uint32_t depth)
{
    bool is_object = list->kind == JSON_OBJECT;
    char end = is_object ? '}' : ']';
    json_value **last = &list->first;
    *at = json_in_skip_space(*at + 1);
    if (**at == end) {
        ++*at;
        return true;
    }
    for (;;) {
        const char *key = NULL;
        if (is_object) {
            if (**at != '"') return json_in_fail(in, *at, "a name is expected here");
            key = json_in_string(in, at);
            if (!key) return false;
            *at = json_in_skip_space(*at);
            if (**at != ':') return json_in_fail(in, *at, "':' is expected here");
            *at = json_in_skip_space(*at + 1);
        }
        json_value *item = json_in_value(in, at, depth + 1);
        if (!item) return false;
        item->key = key;
        *last = item;
        last = &item->next;
        *at = json_in_skip_space(*at);
        char c = **at;
        if (c != ',' && c != end)
            return json_in_fail(in, *at, "a comma or a bracket is expected here");
        *at = json_in_skip_space(*at + 1);
        if (c == end) return true;
    }
}

static void json_in_free_value(json_value *value)
{
    while (value) {
        json_value *next = value->next;
        json_in_free_value(value->first);
        free(value->own);
        free(value);
        value = next;
    }
}

static json_value *json_in_value(json_in *in, char **at, uint32_t depth)
{
    static const char *const words[] = {
        [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
    json_value *value = calloc(1, sizeof *value);
    bool ok = value || json_in_fail(in, *at, "out of memory");
    if (ok && depth > DEPTH_MOST) ok = json_in_fail(in, *at, "it is nested too deeply");
    if (!ok) {
        free(value);
        return NULL;
    }
    size_t number = strspn(*at, "+-.0123456789eE");
    if (**at == '{' || **at == '[') {
        value->kind = **at == '{' ? JSON_OBJECT : JSON_ARRAY;
        ok = json_in_items(in, value, at, depth);
    } else if (**at == '"') {
        value->kind = JSON_STRING;
        value->text = json_in_string(in, at);
        ok = value->text != NULL;
    } else if (number > 0) {
        value->kind = JSON_NUMBER;
        value->own = text_copy(*at, number);
        value->text = value->own;
        ok = value->own || json_in_fail(in, *at, "out of memory");
        *at += number;
    } else {
        json_kind kind = JSON_NULL;
        while (kind <= JSON_TRUE && strncmp(*at, words[kind], strlen(words[kind])) != 0) kind++;
        ok = kind <= JSON_TRUE || json_in_fail(in, *at, "a value is expected here");
        if (ok) *at += strlen(words[kind]);
        value->kind = kind;
    }
    if (ok) return value;
    json_in_free_value(value);
    return NULL;
}

bool json_in_read(json_in *in, const char *bytes, size_t size)
{
    *in = (json_in){.text = text_copy(bytes, size)};
    if (!in->text) {
        in->problem = "out of memory";
        return false;
    }
    if (strlen(in->text) != size) return json_in_fail(in, in->text, "it contains a NUL");
    char *at = json_in_skip_space(in->text);
    in->root = json_in_value(in, &at, 0);
    if (!in->root) return false;
    at = json_in_skip_space(at);
    return !*at || json_in_fail(in, at, "something follows the value");
}

void json_in_free(json_in *in)
{
    json_in_free_value(in->root);
    free(in->text);
    *in = (json_in){0};
}

const json_value *json_in_member(const json_value *object, const char *key)
{
    const json_value *member = object && object->kind == JSON_OBJECT ? object->first : NULL;
    while (member && strcmp(member->key, key) != 0) member = member->next;
    return member;
}

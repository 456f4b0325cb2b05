// fbx_text.c: parse FBX text into the same nodes that binary files have.
// SPDX-License-Identifier: MIT
//
// The text is read twice: first to count the children and values of every node, then to fill lists
// of just that size.

#include "formats/fbx/fbx_text.h"

#include "core/json/json.h"
#include "core/memory/pulse.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "document/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PROBE_SIZE ((uint64_t)64 << 10)  // Bytes that are examined.

enum { WORD_MAX = 64, SHAPES_FIRST = 256 };

// What the first pass finds out about a node.
typedef struct fbx_text_shape {
    uint32_t child_count, value_count;
    bool is_list;  // All values are numbers without quotes, and there are many.
} fbx_text_shape;

typedef struct fbx_text_parser {
    tn_io *io;
    tenon_fbx *doc;
    const char *start, *at, *end;
    bool builds;  // The second pass.
    bool is_cut;  // The text ends at a fault, which is reported when everything before it is kept.
    tn_pulse pulse;
    tn_arena work;
    fbx_text_shape *shapes;  // Of all nodes, in the order of the text; the first is of the root.
    uint64_t shape_count, shape_room;
    tenon_error fault;
    const char *cut;         // Everything before it can be kept in spite of the fault.
    uint32_t level;          // Of the nodes that are being read.
    tn_observer *observers;  // First pass: they get every part of the text; NULL: none.
    const char *reported;    // What they have got ends here.
} fbx_text_parser;

// -- Faults

// Returns false.
TN_PRINTF(4, 5)
static bool fbx_text_fail(fbx_text_parser *p, tenon_code code, const char *at, const char *fmt, ...)
{
    if (p->fault.code) return false;
    p->fault = (tenon_error){.code = code, .offset = (uint64_t)(at - p->start)};
    p->cut = at;
    va_list args;
    va_start(args, fmt);
    vsnprintf(p->fault.message, sizeof p->fault.message, fmt, args);
    va_end(args);
    return false;
}

static bool fbx_text_has_failed(const fbx_text_parser *p)
{
    return p->fault.code || p->io->failed;
}

// -- Parts

static void fbx_text_push(fbx_text_parser *p, const char *name)
{
    if (p->observers) p->io->frames[p->io->depth++] = (tn_frame){.name = name, .index = TENON_NONE};
}

static void fbx_text_pop(fbx_text_parser *p)
{
    if (p->observers) p->io->depth--;
}

static void fbx_text_set_index(fbx_text_parser *p, uint32_t index)
{
    if (p->observers) p->io->frames[p->io->depth - 1].index = index;
}

// Show the observers the bytes up to `end`: the field called `name` or, if that is NULL, what is
// between fields. `content` is the text of the field, without quotes.
static void fbx_text_show(fbx_text_parser *p, const char *end, const char *name, tenon_str content)
{
    tn_io *io = p->io;
    uint32_t depth = io->depth;
    uint64_t size = (uint64_t)(end - p->reported);
    if (!p->observers || size == 0 || fbx_text_has_failed(p)) return;
    if (!name) io->depth = 0;
    io->observers = p->observers;
    tenon_str all = {p->reported, (uint32_t)size};
    tn_observe(io, &(tn_field){.name = name ? name : "",
                               .type = TENON_TYPE_STR,
                               .offset = (uint64_t)(p->reported - p->start),
                               .size = size,
                               .count = size,
                               .bytes = (const uint8_t *)p->reported,
                               .text = name ? content : all,
                               .kind = name ? TENON_PART_FIELD : TENON_PART_KEPT});
    io->observers = NULL;
    io->depth = depth;
    p->reported = end;
}

// -- Tokens

static bool fbx_text_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Whether `c` can be in a name or a value without quotes.
static bool fbx_text_is_word(char c)
{
    return (uint8_t)c > ' ' && !strchr(",;:{}\"", c);
}

const char *fbx_text_comment_end(const char *at, const char *end)
{
    // Old programs for the Mac end lines with a carriage return alone.
    while (at < end && *at != '\n' && *at != '\r') at++;
    return at;
}

// Skip blanks and comments.
static void fbx_text_skip(fbx_text_parser *p)
{
    for (; p->at < p->end; p->at++) {
        if (*p->at == ';') p->at = fbx_text_comment_end(p->at, p->end);
        if (p->at == p->end || !fbx_text_is_blank(*p->at)) break;
    }
}

// Skip up to `most` digits, adding them to *value.
static size_t fbx_text_digits(const char *text, size_t size, uint64_t *value, size_t most)
{
    size_t i = 0;
    for (; i < size && i < most && text[i] >= '0' && text[i] <= '9'; i++)
        *value = 10 * *value + (uint64_t)(text[i] - '0');
    return i;
}

// What C runtimes write for numbers that are not finite, with a sign: 1.#INF, 1.#QNAN00, infinity,
// nan(ind). Returns the size, 0 if it is none of them.
static size_t fbx_text_word_at(const char *text, size_t size, double *number)
{
    static const struct {
        const char *word;
        bool is_infinite;
    } words[] = {{"1.#inf", true},   {"1.#qnan", false}, {"1.#snan", false}, {"1.#ind", false},
                 {"infinity", true}, {"infty", true},    {"inf", true},      {"ind", false},
                 {"nan", false},     {"qnan", false},    {"snan", false}};
    size_t start = size && (*text == '-' || *text == '+');
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word), k = 0, at = start + length;
        if (size - start < length) continue;
        while (k < length && (text[start + k] | 32) == (words[i].word[k] | 32)) k++;
        if (k < length) continue;
        uint64_t ignored = 0;
        if (*words[i].word == '1') at += fbx_text_digits(text + at, size - at, &ignored, 8);
        // What kind of NaN it is.
        if (at < size && text[at] == '(')
            while (at < size && fbx_text_is_word(text[at])) at++;
        *number = words[i].is_infinite ? INFINITY : NAN;
        if (start && *text == '-') *number = -*number;
        return at;
    }
    return 0;
}

// A number that is not spelled as JSON wants it, such as `1.` or `.5` or `+007`.
static bool fbx_text_parse_odd(const char *text, size_t size, double *number)
{
    char copy[512];
    size_t n = 0, i = 0;
    if (size + 2 > sizeof copy) return tn_f64_parse(text, size, number);
    if (text[i] == '-') copy[n++] = '-';
    if (text[i] == '-' || text[i] == '+') i++;
    while (i + 1 < size && text[i] == '0' && text[i + 1] >= '0' && text[i + 1] <= '9') i++;
    if (text[i] == '.') copy[n++] = '0';
    for (; i < size; i++) {
        bool is_bare = text[i] == '.' && (i + 1 == size || text[i + 1] < '0' || text[i + 1] > '9');
        if (!is_bare) copy[n++] = text[i];
    }
    (void)tn_f64_parse(copy, n, number);  // An infinity if it is too large.
    return true;
}

size_t fbx_text_number_at(const char *text, size_t size, fbx_text_number *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { DIGITS_MAX = 18, EXPONENT_MAX = 22 };
    size_t i = size && (*text == '-' || *text == '+'), after_point = 0;
    bool is_negative = i && *text == '-';
    uint64_t digits = 0, exponent = 0;
    *number = (fbx_text_number){0};
    size_t whole = fbx_text_digits(text + i, size - i, &digits, SIZE_MAX);
    i += whole;
    bool has_point = i < size && text[i] == '.';
    if (has_point && i + 1 < size && text[i + 1] == '#')
        return fbx_text_word_at(text, size, &number->number);
    if (has_point) {
        after_point = fbx_text_digits(text + i + 1, size - i - 1, &digits, SIZE_MAX);
        i += 1 + after_point;
    }
    if (whole + after_point == 0) return fbx_text_word_at(text, size, &number->number);
    bool is_exact = whole + after_point <= DIGITS_MAX;
    bool has_exponent = i < size && (text[i] | 32) == 'e';
    int64_t shift = -(int64_t)after_point;
    if (has_exponent) {
        size_t k = i + 1;
        bool is_down = k < size && text[k] == '-';
        if (k < size && (text[k] == '-' || text[k] == '+')) k++;
        size_t exponent_size = fbx_text_digits(text + k, size - k, &exponent, SIZE_MAX);
        if (exponent_size == 0) return 0;
        if (exponent_size > 4) is_exact = false;
        if (is_exact) shift += is_down ? -(int64_t)exponent : (int64_t)exponent;
        i = k + exponent_size;
    }
    if (is_exact && !has_point && !has_exponent) {
        number->is_integer = true;
        number->integer = is_negative ? -(int64_t)digits : (int64_t)digits;
    } else if (!has_point && !has_exponent && tn_i64_parse(text, i, &number->integer)) {
        number->is_integer = true;
    }
    // A product or quotient of two exact numbers is rounded once.
    bool is_short =
        is_exact && digits <= UINT64_C(1) << 53 && shift <= EXPONENT_MAX && shift >= -EXPONENT_MAX;
    if (is_short) {
        double value = (double)digits;
        value = shift < 0 ? value / powers[-shift] : value * powers[shift];
        number->number = is_negative ? -value : value;
    } else if (!fbx_text_parse_odd(text, i, &number->number)) {
        return 0;
    }
    return i;
}

typedef enum fbx_text_kind {
    FBX_TEXT_NUMBER,
    FBX_TEXT_STRING,
    FBX_TEXT_WORD,
    FBX_TEXT_ARRAY,
} fbx_text_kind;

typedef struct fbx_text_token {
    fbx_text_kind kind;
    const char *text;  // Without quotes; of an array, its numbers.
    size_t size;
    const char *start, *end;  // With quotes, braces and so on.
} fbx_text_token;

// Whether all of the text is a number in the usual form.
static bool fbx_text_is_number(const char *text, size_t size)
{
    fbx_text_number number;
    return fbx_text_number_at(text, size, &number) == size;
}

// The next '}' that is not in a comment; NULL: none.
static const char *fbx_text_find_close(const char *at, const char *end)
{
    const char *close = memchr(at, '}', (size_t)(end - at)), *comment = at;
    while (close && (comment = memchr(comment, ';', (size_t)(close - comment)))) {
        comment = fbx_text_comment_end(comment, end);
        if (comment > close) close = memchr(comment, '}', (size_t)(end - comment));
    }
    return close;
}

// The numbers of `*N { a: ... }`.
static bool fbx_text_take_array(fbx_text_parser *p, fbx_text_token *token)
{
    const char *star = p->at++;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') p->at++;
    fbx_text_skip(p);
    if (p->at == p->end || *p->at != '{')
        return fbx_text_fail(p, TENON_ERR_VALUE, star, "'*' starts an array, but '{' is missing");
    p->at++;
    fbx_text_skip(p);
    const char *name = p->at, *close = fbx_text_find_close(p->at, p->end);
    if (!close)
        return fbx_text_fail(p, TENON_ERR_TRUNCATED, star, "the array has no '}' at its end");
    while (p->at < close && fbx_text_is_word(*p->at)) p->at++;
    if (p->at < close && *p->at == ':')
        p->at++;
    else
        p->at = name;
    *token = (fbx_text_token){FBX_TEXT_ARRAY, p->at, (size_t)(close - p->at), star, close + 1};
    p->at = close + 1;
    return true;
}

// The next value of a node, false if there is none. The first may be on another line (Blender
// writes such keys), others only after or before a comma; values between commas may be missing.
static bool fbx_text_next_value(fbx_text_parser *p, bool is_first, fbx_text_token *token)
{
    bool has_comma = false;
    fbx_text_skip(p);
    for (; p->at < p->end && *p->at == ','; fbx_text_skip(p)) {
        p->at++;
        has_comma = true;
    }
    if (p->at == p->end || *p->at == '{' || *p->at == '}') return false;
    if (!has_comma && !is_first) return false;
    if (!tn_goes_on(&p->pulse, 1)) tn_fail(p->io, TENON_ERR_CANCELLED, 0, "text", "cancelled");
    const char *start = p->at;
    if (*start == '*') return fbx_text_take_array(p, token);
    if (*start == '"') {
        const char *close = memchr(start + 1, '"', (size_t)(p->end - start - 1));
        if (!close)
            return fbx_text_fail(p, TENON_ERR_TRUNCATED, start, "the text has no '\"' at its end");
        p->at = close + 1;
        *token =
            (fbx_text_token){FBX_TEXT_STRING, start + 1, (size_t)(close - start - 1), start, p->at};
        return true;
    }
    while (p->at < p->end && fbx_text_is_word(*p->at)) p->at++;
    size_t size = (size_t)(p->at - start);
    fbx_text_skip(p);
    if (p->at < p->end && *p->at == ':' && size) {
        p->at = start;  // The name of the next node.
        return false;
    }
    p->at = start + size;
    if (size == 0)
        return fbx_text_fail(p, TENON_ERR_VALUE, start, "unexpected character 0x%02x",
                             (uint8_t)*start);
    bool is_number = fbx_text_is_number(start, size);
    *token =
        (fbx_text_token){is_number ? FBX_TEXT_NUMBER : FBX_TEXT_WORD, start, size, start, p->at};
    return true;
}

// -- Values

static void *fbx_text_alloc(fbx_text_parser *p, uint64_t count, size_t size)
{
    return tn_io_alloc(p->io, "text", count, size);
}

// A text with its escapes decoded, and a NUL after it.
static tenon_str fbx_text_copy(fbx_text_parser *p, const char *text, size_t size)
{
    static const struct {
        const char *escape;
        size_t size;
        char c;
    } escapes[] = {{"&quot;", 6, '"'}, {"&cr;", 4, '\r'}, {"&lf;", 4, '\n'}};
    char *copy = fbx_text_alloc(p, (uint64_t)size + 1, 1), *out = copy;
    if (!copy) return (tenon_str){"", 0};
    for (size_t i = 0; i < size;) {
        const char *next = memchr(text + i, '&', size - i);
        size_t plain = next ? (size_t)(next - text) - i : size - i;
        memcpy(out, text + i, plain);
        out += plain;
        i += plain;
        if (!next) break;
        size_t known = 0;
        for (size_t k = 0; k < sizeof escapes / sizeof escapes[0] && !known; k++) {
            if (size - i < escapes[k].size || memcmp(next, escapes[k].escape, escapes[k].size) != 0)
                continue;
            known = escapes[k].size;
            *out++ = escapes[k].c;
        }
        if (!known) *out++ = '&', known = 1;
        i += known;
    }
    return (tenon_str){copy, (uint32_t)(out - copy)};
}

// An array of the numbers in a part of the text. Those of a list are exactly `count`; else they are
// counted.
static void fbx_text_set_array(fbx_text_parser *p, tenon_fbx_value *value, const char *text,
                               size_t size)
{
    tenon_fbx_array *array = fbx_text_alloc(p, 1, sizeof *array);
    uint64_t commas = 0;
    bool has_fractions = false, is_empty = true, ends_with_comma = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (fbx_text_is_blank(c)) continue;
        is_empty = false;
        ends_with_comma = c == ',';
        commas += c == ',';
        has_fractions = has_fractions || !((c >= '0' && c <= '9') || c == '-' || c == ',');
    }
    if (!array) return;
    value->code = has_fractions ? 'd' : 'l';
    value->array = array;
    *array =
        (tenon_fbx_array){.count = (uint32_t)(commas + !is_empty - ends_with_comma),
                          .encoding = TENON_FBX_DIGITS,
                          .offset = (uint64_t)(text - p->start),
                          .data = {.data = (const uint8_t *)text, .size = size, .count = size}};
}

static void fbx_text_set_value(fbx_text_parser *p, tenon_fbx_value *value,
                               const fbx_text_token *token)
{
    fbx_text_number number;
    if (token->kind == FBX_TEXT_ARRAY) {
        fbx_text_set_array(p, value, token->text, token->size);
    } else if (token->kind == FBX_TEXT_NUMBER) {
        (void)fbx_text_number_at(token->text, token->size, &number);
        value->code = number.is_integer ? 'L' : 'D';
        if (number.is_integer)
            value->integer = number.integer;
        else
            value->number = number.number;
    } else if (token->kind == FBX_TEXT_WORD && token->size == 1) {
        value->code = 'C';
        value->integer = (uint8_t)*token->text;
    } else {
        value->code = 'S';
        value->text = fbx_text_copy(p, token->text, token->size);
    }
}

// Count the values of a node, or fill them in.
static void fbx_text_take_values(fbx_text_parser *p, tenon_fbx_node *node, uint64_t shape)
{
    fbx_text_token token = {0};
    uint32_t count = 0;
    bool are_numbers = true;
    const char *first = p->at, *last = p->at;
    bool is_list = p->shapes[shape].is_list;
    if (p->builds) {
        uint32_t value_count = is_list ? 1 : p->shapes[shape].value_count;
        node->values = fbx_text_alloc(p, value_count, sizeof *node->values);
        if (!node->values) return;
        node->value_count = value_count;
        node->property_count = p->shapes[shape].value_count;
    }
    fbx_text_push(p, "values");
    while (!fbx_text_has_failed(p) && fbx_text_next_value(p, count == 0, &token)) {
        fbx_text_set_index(p, count);
        fbx_text_show(p, token.start, NULL, (tenon_str){"", 0});
        fbx_text_show(p, token.end, "", (tenon_str){token.text, (uint32_t)token.size});
        if (count == 0) first = token.text;
        last = token.text + token.size;
        are_numbers = are_numbers && token.kind == FBX_TEXT_NUMBER;
        if (p->builds && !is_list) fbx_text_set_value(p, &node->values[count], &token);
        count++;
    }
    fbx_text_pop(p);
    if (p->builds && is_list)
        fbx_text_set_array(p, &node->values[0], first, (size_t)(last - first));
    if (p->builds) return;
    p->shapes[shape].value_count = count;
    p->shapes[shape].is_list = are_numbers && count >= TENON_FBX_LIST_MIN;
}

// -- Nodes

// The index of another shape; the first pass adds it.
static uint64_t fbx_text_next_shape(fbx_text_parser *p)
{
    if (!p->builds && p->shape_count == p->shape_room) {
        uint64_t room = p->shape_room ? 2 * p->shape_room : SHAPES_FIRST;
        fbx_text_shape *shapes = tn_arena_alloc_or_fail(&p->work, room, sizeof *shapes,
                                                        "the nodes of the text", p->io->err);
        if (!shapes) {
            p->io->failed = true;
            return 0;
        }
        if (p->shape_count) memcpy(shapes, p->shapes, (size_t)p->shape_count * sizeof *shapes);
        p->shapes = shapes;
        p->shape_room = room;
    }
    return p->shape_count++;
}

// The nodes up to a brace or the end of the file. `parent` is NULL in the first pass.
static void fbx_text_take_nodes(fbx_text_parser *p, tenon_fbx_node *parent, uint64_t shape,
                                uint32_t level)
{
    const char *open = p->at;
    uint32_t count = 0;
    p->level = level;
    if (p->builds) {
        parent->child_list = TENON_FBX_TERMINATED;
        uint32_t child_count = p->shapes[shape].child_count;
        parent->children = fbx_text_alloc(p, child_count, sizeof *parent->children);
        parent->child_count = parent->children ? child_count : 0;
    }
    fbx_text_push(p, level == 1 ? "nodes" : "children");
    while (!fbx_text_has_failed(p)) {
        fbx_text_skip(p);
        if (p->at == p->end) {
            if (level > 1 && !p->is_cut) {
                fbx_text_fail(p, TENON_ERR_TRUNCATED, open - 1, "'{' has no '}'");
                p->cut = p->end;
            }
            break;
        }
        const char *name = p->at;
        if (*name == '}') {
            if (level == 1) fbx_text_fail(p, TENON_ERR_VALUE, name, "'}' without a '{'");
            p->at++;
            break;
        }
        while (p->at < p->end && fbx_text_is_word(*p->at)) p->at++;
        size_t name_size = (size_t)(p->at - name);
        fbx_text_skip(p);
        if (name_size == 0 || p->at == p->end || *p->at != ':') {
            fbx_text_fail(p, TENON_ERR_VALUE, name, "expected the name of a node and ':'");
            break;
        }
        p->at++;
        fbx_text_set_index(p, count);
        fbx_text_show(p, name, NULL, (tenon_str){"", 0});
        fbx_text_show(p, p->at, "name", (tenon_str){name, (uint32_t)name_size});
        uint64_t child_shape = fbx_text_next_shape(p);
        if (p->io->failed) break;
        tenon_fbx_node *node = p->builds ? &parent->children[count] : NULL;
        count++;
        if (node) {
            node->offset = (uint64_t)(name - p->start);
            node->name = fbx_text_copy(p, name, name_size);
        }
        fbx_text_take_values(p, node, child_shape);
        if (!fbx_text_has_failed(p) && p->at < p->end && *p->at == '{') {
            uint32_t most = p->io->max_depth < FBX_DEPTH_MAX ? p->io->max_depth : FBX_DEPTH_MAX;
            if (level >= most) {
                fbx_text_fail(p, TENON_ERR_LIMIT, p->at,
                              "nodes are nested deeper than %" PRIu32 " levels", most);
                break;
            }
            p->at++;
            fbx_text_take_nodes(p, node, child_shape, level + 1);
            if (!fbx_text_has_failed(p)) p->level = level;
        }
    }
    fbx_text_pop(p);
    if (!p->builds) p->shapes[shape].child_count = count;
}

static void fbx_text_begin_pass(fbx_text_parser *p, bool builds)
{
    p->builds = builds;
    p->at = p->start;
    p->shape_count = 0;
    if (p->end - p->at >= 3 && memcmp(p->at, "\xef\xbb\xbf", 3) == 0) p->at += 3;
    uint64_t root = fbx_text_next_shape(p);
    if (!p->io->failed) fbx_text_take_nodes(p, builds ? &p->doc->root : NULL, root, 1);
}

// The end of what is to be read: what some writers leave at the end of a file, NULs and the mark of
// DOS, is not. *nul is the first NUL before that, which is the end; NULL: there is none.
static const char *fbx_text_end(tenon_str text, const char **nul)
{
    uint32_t size = text.size;
    while (size && (text.data[size - 1] == '\0' || text.data[size - 1] == '\x1a')) size--;
    *nul = size ? memchr(text.data, 0, size) : NULL;
    return *nul ? *nul : text.data + size;
}

void fbx_text_parse(tn_io *io, tenon_fbx *doc, tn_observer *observers)
{
    bool is_reading = io->mode == TN_READ && io->source == &tn_file_source && !io->skip_text;
    if (io->failed || (!is_reading && !observers)) return;
    tenon_str text = doc->text;
    fbx_text_parser p = {.io = io,
                         .doc = doc,
                         .start = text.data,
                         .end = text.data + text.size,
                         .observers = observers,
                         .reported = text.data};
    // Reading uses the allocator of the document; other passes do not change the document.
    const tn_arena *owner = is_reading ? io->arena : &doc->base.owner->arena;
    p.work = tn_arena_make(is_reading ? &owner->allocator : &(tenon_allocator){0}, owner->limit);
    p.pulse = (tn_pulse){.events = &io->events, .total = text.size};
    if (is_reading) p.pulse.budget = owner->allocator.budget;
    io->observers = NULL;
    const char *nul;
    p.end = fbx_text_end(text, &nul);
    p.is_cut = nul != NULL;
    fbx_text_begin_pass(&p, false);
    if (nul) fbx_text_fail(&p, TENON_ERR_VALUE, nul, "the text has a NUL byte");
    fbx_text_show(&p, nul ? nul : text.data + text.size, NULL, (tenon_str){"", 0});
    p.observers = NULL;
    tenon_error fault = p.fault;
    if (fault.code) {
        p.end = p.cut;
        p.is_cut = true;
        p.fault.code = TENON_OK;
    }
    if (is_reading && !io->failed && (!fault.code || io->partial)) fbx_text_begin_pass(&p, true);
    tn_pulse_end(&p.pulse);
    tn_arena_free(&p.work);
    io->observers = observers;
    if (!fault.code || io->failed) return;
    tn_fail(io, fault.code, fault.offset, "text", "%s", fault.message);
    tn_json_place(text.data, text.size, fault.offset, &io->err->line, &io->err->column);
}

// -- Recovering

bool fbx_text_recover(tenon_fbx *doc, tn_arena *arena, tenon_error *err)
{
    tn_io io;
    tenon_str text = doc->text;
    tn_io_reader(&io, text.data, text.size, arena, err);
    const char *nul, *end = fbx_text_end(text, &nul);
    fbx_text_parser p = {.io = &io,
                         .doc = doc,
                         .start = text.data,
                         .end = end,
                         .pulse = {.events = &io.events, .budget = arena->allocator.budget},
                         .work = tn_arena_make(&arena->allocator, arena->limit)};
    fbx_text_begin_pass(&p, false);
    tn_pulse_end(&p.pulse);
    tn_arena_free(&p.work);
    if (io.failed) return false;
    if (!p.fault.code && !nul) return true;
    const char *cut = p.fault.code ? p.cut : p.end;
    while (cut > p.start && (cut[-1] == ',' || fbx_text_is_blank(cut[-1]))) cut--;
    size_t size = (size_t)(cut - p.start), braces = p.level - 1;
    char *closed = tn_arena_alloc_or_fail(arena, size + 2 * braces + 2, 1, "the text", err);
    if (!closed) return false;
    memcpy(closed, p.start, size);
    closed[size++] = '\n';
    for (; braces; braces--) {
        closed[size++] = '}';
        closed[size++] = '\n';
    }
    doc->text = (tenon_str){closed, (uint32_t)size};
    return true;
}

// -- Recognizing

uint32_t fbx_text_version(tenon_str text)
{
    static const char intro[] = "; FBX ";
    uint64_t parts[3] = {0};
    size_t at = sizeof intro - 1;
    const char *start = text.data;
    if (text.size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) start += 3, text.size -= 3;
    if (text.size < at || memcmp(start, intro, at) != 0) return 0;
    for (int i = 0; i < 3; i++) {
        size_t size = fbx_text_digits(start + at, text.size - at, &parts[i], 3);
        if (size == 0) return 0;
        at += size;
        if (i < 2 && (at == text.size || start[at++] != '.')) return 0;
    }
    return (uint32_t)(1000 * parts[0] + 100 * parts[1] + 10 * parts[2]);
}

int fbx_text_probe(const char *text, uint64_t size)
{
    // Names of the top level of all versions; files without the first comment start with one.
    static const char *const names[] = {"FBXHeaderExtension", "FileId",  "CreationTime",  "Creator",
                                        "Definitions",        "Objects", "GlobalSettings"};
    uint32_t examined = (uint32_t)(size < PROBE_SIZE ? size : PROBE_SIZE);
    if (fbx_text_version((tenon_str){text, examined})) return 100;
    fbx_text_parser p = {.start = text, .at = text, .end = text + examined};
    fbx_text_skip(&p);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if ((size_t)(p.end - p.at) <= length || memcmp(p.at, names[i], length) != 0) continue;
        p.at += length;
        fbx_text_skip(&p);
        return p.at < p.end && *p.at == ':' ? 90 : 0;
    }
    return 0;
}

// json_verdicts.c: for test_json_reference.py: prints for each text whether we accept it.
// Texts come on standard input as a 32-bit little-endian size and that many bytes; answers go as
// '0' and '1'.
// SPDX-License-Identifier: MIT

#include "core/json/json.h"

#include <stdio.h>
#include <stdlib.h>

static char verdict(const uint8_t *text, size_t size)
{
    tn_json json;
    tn_json_begin(&json, text, size, 0);
    while (tn_json_next(&json) > TN_JSON_END) {
    }
    return json.token.kind == TN_JSON_END ? '1' : '0';
}

int main(void)
{
    uint8_t head[4];
    while (fread(head, 1, 4, stdin) == 4) {
        size_t size = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16;
        uint8_t *text = malloc(size ? size : 1);  // Exact, for sanitizers.
        if (!text || fread(text, 1, size, stdin) != size) return 1;
        putchar(verdict(text, size));
        free(text);
    }
    return fflush(stdout) != 0;
}

// fuzz_quick.c: what is read is written back unchanged, what is refused has a reason and a place,
// and a partial document can be used; nothing more, so that there is time for very many inputs.
// SPDX-License-Identifier: MIT
//
// With TENON_FUZZ_FORMAT=bmw in the environment every input is read as a BMW file.

#include "../tests/robust_properties.h"
#include "fuzz.h"

#define MEMORY_LIMIT ((uint64_t)64 << 20)

static void look_at(const tenon_doc *doc)
{
    tenon_error err;
    tenon_check(doc, NULL, NULL, NULL, NULL, &err);
}

static void read_partial(const uint8_t *data, size_t size, tenon_read_opts opts)
{
    tenon_error err;
    opts.partial = opts.incomplete = true;
    tenon_doc *doc = tenon_read(data, size, &opts, &err);
    if (doc) look_at(doc);
    tenon_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tenon_error err;
    tenon_read_opts opts = {.max_memory = MEMORY_LIMIT, .format = fuzzed_format()};
    tenon_doc *doc = tenon_read(data, size, &opts, &err);
    if (!doc) {
        require_none(fault_in_error(&err, size), "refused");
        read_partial(data, size, opts);
        return 0;
    }
    require_none(fault_in_writing(doc, data, size), "accepted");
    look_at(doc);
    tenon_doc_free(doc);
    return 0;
}

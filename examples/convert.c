// convert.c: convert any model that Tenon reads to any format that it writes.
// SPDX-License-Identifier: MIT
//
// Run: convert samples/crane.bplx crane.glb

#include <tenon/convert.h>

#include <stdio.h>

static void print_loss(void *user, const tenon_loss *loss)
{
    (void)user;
    printf("%s: %s: %s\n", tenon_loss_word(loss->kind), loss->feature, loss->why);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: convert IN OUT\n");
        return 2;
    }
    tenon_error err = {0};
    tenon_convert_result result;
    // The result is written only if its poses are those of the input.
    const tenon_convert_opts opts = {
        .events.on_loss = print_loss, .writing.force = true, .verify = true};
    if (!tenon_convert_file(argv[1], argv[2], &opts, &result, &err)) {
        fprintf(stderr, "%s: %s\n", argv[1], err.message);
        return 1;
    }
    printf("%s: %llu bytes\n", result.format->title, (unsigned long long)result.size);
    return 0;
}

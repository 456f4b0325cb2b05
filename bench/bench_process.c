// bench_process.c: how long whole programs take, in turns, from start to end.
// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define COMMANDS_MOST 16
#define ROUNDS_MOST   512

extern char **environ;

// Its output is not needed.
static bool run(char **command, double *seconds)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int status;
    double start = bench_now();
    bool started = posix_spawnp(&child, command[0], &actions, NULL, command, environ) == 0;
    bool ended = started && waitpid(child, &status, 0) == child;
    *seconds = bench_now() - start;
    posix_spawn_file_actions_destroy(&actions);
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Cut the list of words at each "--".
static int split(char **argv, char ***commands)
{
    int count = 0;
    bool starts = true;
    for (char **word = argv; *word; word++) {
        bool is_end = strcmp(*word, "--") == 0;
        if (starts && !is_end && count < COMMANDS_MOST) commands[count++] = word;
        starts = is_end;
        if (is_end) *word = NULL;
        if (is_end && !word[1]) break;
    }
    return count;
}

int bench_process(int rounds, char **argv)
{
    static double times[COMMANDS_MOST][ROUNDS_MOST];
    char **commands[COMMANDS_MOST];
    if (rounds < 1 || rounds > ROUNDS_MOST) return 2;
    int count = split(argv, commands);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            if (run(commands[i], &times[i][round])) continue;
            fprintf(stderr, "bench: %s failed\n", commands[i][0]);
            return 1;
        }
    }
    for (int i = 0; i < count; i++)
        printf("%.9f %.9f\n", bench_least(times[i], rounds), bench_median(times[i], rounds));
    return 0;
}

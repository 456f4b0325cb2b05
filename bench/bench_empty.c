// bench_empty.c: a program that does nothing, to know what starting one costs.
// SPDX-License-Identifier: MIT

int main(void)
{
    return 0;
}

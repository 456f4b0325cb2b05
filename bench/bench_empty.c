// bench_empty.c: a program that does nothing, to measure the cost of starting one.
// SPDX-License-Identifier: MIT

int main(void)
{
    return 0;
}

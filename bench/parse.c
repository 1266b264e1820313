/* The floor for reading a nanoGPT log on one core: read(2), find lines, four numbers each, kept in memory. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double number(const char **at)
{
    const char *p = *at;
    double value = 0, scale = 1, sign = 1;
    if (*p == '-') { sign = -1; p++; }
    while (*p >= '0' && *p <= '9') value = value * 10 + (*p++ - '0');
    if (*p == '.') for (p++; *p >= '0' && *p <= '9'; scale *= 10) value = value * 10 + (*p++ - '0');
    *at = p;
    return sign * value / scale;
}

int main(int argc, char **argv)
{
    static char buffer[(1 << 18) + (1 << 16)];
    double (*rows)[4] = NULL, sum = 0;
    size_t count = 0, room = 0, kept = 0;
    ssize_t got;
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : 0;
    while ((got = read(fd, buffer + kept, 1 << 18)) > 0) {
        const char *end = buffer + kept + got, *line = buffer, *next;
        for (; (next = memchr(line, '\n', end - line)); line = next + 1) {
            if (memcmp(line, "iter ", 5)) continue;
            if (count == room) rows = realloc(rows, (room = room ? 2 * room : 1 << 16) * sizeof *rows);
            const char *p = line + 5;
            rows[count][0] = number(&p); p += 7; /* ": loss " */
            rows[count][1] = number(&p); p += 7; /* ", time " */
            rows[count][2] = number(&p); p += 8; /* "ms, mfu " */
            rows[count++][3] = number(&p);
        }
        kept = end - line;
        memmove(buffer, line, kept);
    }
    for (size_t i = 0; i < count; i++) sum += rows[i][2];
    printf("%zu iterations, %.2f s\n", count, sum / 1e3);
    return 0;
}

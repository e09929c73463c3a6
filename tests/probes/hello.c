// Tries nothing: a program to be executed, which says "hello" and the effective user it runs as.

#include <stdio.h>
#include <unistd.h>

int main(void)
{
    printf("hello %u\n", (unsigned)geteuid());
    return 0;
}

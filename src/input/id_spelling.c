/* One form for the ways in which an id is written: "NVIDIA A100-SXM4-80GB", "a100_sxm4_80gb". */
#include "input/id_spelling.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Makers and endings of names that say nothing of the shape. */
static bool says_nothing(const char *word, size_t length, bool first)
{
    static const char *const makers[] = { "nvidia", "amd",     "intel", "google",  "aws",
                                          "tesla",  "geforce", "meta",  "instinct" };
    static const char *const endings[] = { "hf", "instruct", "chat" };
    const char *const *words = first ? makers : endings;
    const size_t count =
        first ? sizeof makers / sizeof makers[0] : sizeof endings / sizeof endings[0];
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Length of the word of letters, or the number with its dots, that begins here; 0 = none does. */
static size_t word_length(const char *text)
{
    size_t length = 0;
    if (isalpha((unsigned char)text[0])) {
        while (isalpha((unsigned char)text[length])) {
            length++;
        }
        return length;
    }
    while (isdigit((unsigned char)text[length]) ||
           (length > 0 && text[length] == '.' && isdigit((unsigned char)text[length + 1]))) {
        length++;
    }
    return length;
}

void nnc_id_plain(const char *text, char *plain, size_t size)
{
    const char *owner = strrchr(text, '/');
    const char *from = owner != NULL ? owner + 1 : text;
    size_t used = 0;
    plain[0] = '\0';
    while (*from != '\0') {
        const size_t length = word_length(from);
        if (length == 0) {
            from++;
            continue;
        }
        if (used + length + 2 > size) {
            plain[0] = '\0'; /* too long to be an id */
            return;
        }
        char *word = plain + used + (used > 0 ? 1 : 0);
        for (size_t i = 0; i < length; i++) {
            word[i] = (char)tolower((unsigned char)from[i]);
        }
        from += length;
        if (!says_nothing(word, length, used == 0)) {
            if (used > 0) {
                plain[used++] = '-';
            }
            used += length;
        }
        plain[used] = '\0';
    }
}

bool nnc_id_same(const char *a, const char *b)
{
    char left[256], right[256];
    nnc_id_plain(a, left, sizeof left);
    nnc_id_plain(b, right, sizeof right);
    return left[0] != '\0' && strcmp(left, right) == 0;
}

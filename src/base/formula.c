#include "base/formula.h"

#include <string.h>

void nnc_formula_start(nnc_formula *formula)
{
    formula->used = 0;
    formula->text[0] = '\0';
    formula->failed = false;
}

void nnc_formula_put(nnc_formula *formula, const char *text, size_t length)
{
    if (length >= sizeof formula->text - formula->used) {
        formula->failed = true;
        return;
    }
    memcpy(formula->text + formula->used, text, length);
    formula->used += length;
    formula->text[formula->used] = '\0';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Length of the C name at text, 0 if none. */
static size_t c_name(const char *text)
{
    size_t length = 0;
    while (is_letter(text[length]) || (length > 0 && is_digit(text[length]))) {
        length++;
    }
    return length;
}

/* "2.0" is written 2. Returns the length read. */
static size_t put_number(nnc_formula *formula, const char *text)
{
    const size_t whole = strspn(text, "0123456789");
    const size_t zeros = text[whole] == '.' ? strspn(text + whole + 1, "0") : 0;
    const char *after = zeros > 0 ? text + whole + 1 + zeros : "0";
    if (strspn(after, "0123456789eE") == 0) {
        nnc_formula_put(formula, text, whole);
        return whole + 1 + zeros;
    }
    size_t length = whole + strspn(text + whole, ".0123456789");
    if (text[length] == 'e') {
        length += 1 + strspn(text + length + 1, "+-0123456789");
    }
    nnc_formula_put(formula, text, length);
    return length;
}

/* A name, or the call nnc_pow4(name). Returns the length read. */
static size_t put_name(nnc_formula *formula, const char *text) /* NOLINT(misc-no-recursion): once */
{
    static const char pow4[] = "nnc_pow4(";
    const size_t length = c_name(text);
    const char *after = text + length;
    if (strncmp(after, "->", 2) == 0 && c_name(after + 2) > 0) {
        return length + 2; /* a prefix: what follows is the name */
    }
    if (*after == '.' && c_name(after + 1) > 0) {
        return length + 1;
    }
    if (strncmp(text, pow4, strlen(pow4)) == 0) {
        size_t used = strlen(pow4); /* of a name, maybe with prefixes, up to ")" */
        while (text[used] != '\0' && text[used] != ')') {
            used += put_name(formula, text + used);
        }
        nnc_formula_put(formula, "^4", 2);
        return text[used] == ')' ? used + 1 : used;
    }
    const size_t prefix = strncmp(text, "nnc_", 4) == 0 ? 4 : 0;
    nnc_formula_put(formula, text + prefix, length - prefix);
    return length;
}

void nnc_formula_tidy(nnc_formula *formula, const char *code)
{
    static const char cast[] = "(double)";
    while (*code) {
        if (strncmp(code, cast, strlen(cast)) == 0) {
            code += strlen(cast);
        } else if (is_digit(*code)) {
            code += put_number(formula, code);
        } else if (c_name(code) > 0) {
            code += put_name(formula, code);
        } else if (*code == '[' && is_digit(code[1]) && code[2] == ']') {
            nnc_formula_put(formula, ".", 1);
            nnc_formula_put(formula, code + 1, 1);
            code += 3;
        } else {
            nnc_formula_put(formula, code++, 1);
        }
    }
}

/* Length of the name at a place of a tidy formula: parts joined by dots. */
static size_t formula_name(const char *text)
{
    size_t length = c_name(text);
    while (length > 0 && text[length] == '.' &&
           (is_letter(text[length + 1]) || is_digit(text[length + 1]))) {
        length++;
        while (is_letter(text[length]) || is_digit(text[length])) {
            length++;
        }
    }
    return length;
}

const char *nnc_formula_name(const char **at, size_t *size)
{
    while (**at) {
        const char *name = *at;
        *size = formula_name(name);
        *at += *size > 0 ? *size : 1;
        if (*size > 0) {
            return name;
        }
    }
    return NULL;
}

/* How options are spelled, and what is meant by words that are none. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "cli/option_table.h"
#include "input/flags.h"

static void add_entry(nnc_option_spellings *list, const char *name, const nnc_own_option *own,
                      const nnc_field *field)
{
    if (list->count < NNC_SPELLINGS_MAX) {
        nnc_option_spelling *added = &list->entries[list->count++];
        nnc_option_name(name, added->name);
        added->own = own;
        added->field = field;
    }
}

void nnc_option_spellings_of(nnc_option_spellings *list, unsigned takes)
{
    list->count = 0;
    for (size_t i = 0; (takes & NNC_TAKES_PLAN) && i < nnc_plan_table.count; i++) {
        const nnc_field *field = &nnc_plan_table.fields[i];
        add_entry(list, field->name, NULL, field);
        if (field->alias != NULL) {
            add_entry(list, field->alias, NULL, field);
        }
    }
    for (size_t i = 0; (takes & NNC_TAKES_RUN) && i < nnc_run_table.count; i++) {
        add_entry(list, nnc_run_table.fields[i].name, NULL, &nnc_run_table.fields[i]);
    }
    for (size_t i = 0; (takes & NNC_TAKES_SERVE) && i < nnc_serve_table.count; i++) {
        const nnc_field *field = &nnc_serve_table.fields[i];
        add_entry(list, field->name, NULL, field);
        if (field->alias != NULL) {
            add_entry(list, field->alias, NULL, field);
        }
    }
    for (size_t i = 0; (takes & NNC_TAKES_BUDGET) && i < nnc_budget_table.count; i++) {
        add_entry(list, nnc_budget_table.fields[i].name, NULL, &nnc_budget_table.fields[i]);
    }
    for (int i = 0; i < nnc_own_option_count; i++) {
        if (nnc_own_options[i].takes & takes) {
            add_entry(list, nnc_own_options[i].name, &nnc_own_options[i], NULL);
        }
    }
}

const nnc_option_spelling *nnc_option_find(const nnc_option_spellings *list, const char *word)
{
    const size_t length = strcspn(word, "=");
    for (int i = 0; i < list->count; i++) {
        const char *name = list->entries[i].name;
        if (strlen(name) == length && strncasecmp(name, word, length) == 0) {
            return &list->entries[i];
        }
    }
    return NULL;
}

const nnc_option_spelling *nnc_option_of_letter(const nnc_option_spellings *list, int letter)
{
    for (int i = 0; i < list->count; i++) {
        const nnc_own_option *own = list->entries[i].own;
        if (own != NULL && own->letter != 0 && own->letter == letter) {
            return &list->entries[i];
        }
    }
    return NULL;
}

/* What other programs call it, where the command has what is meant. */
static const char *synonym_of(const nnc_option_spellings *list, const char *typed)
{
    static const char *const synonyms[][2] = {
        { "--batch", "--micro-batch" },
        { "--batch-size", "--micro-batch" },
        { "--bs", "--micro-batch" },
        { "--batch-size", "--batch" },
        { "--bs", "--batch" },
        { "--per-device-train-batch-size", "--micro-batch" },
        { "--gas", "--micro-batches" },
        { "--accum", "--micro-batches" },
        { "--gradient-accumulation-steps", "--micro-batches" },
        { "--gpus", "--devices" },
        { "--num-gpus", "--devices" },
        { "--gpu-count", "--devices" },
        { "--nodes", "--devices" },
        { "--seq", "--seq-len" },
        { "--seq-length", "--seq-len" },
        { "--context-length", "--seq-len" },
        { "--max-seq-len", "--seq-len" },
        { "--dtype", "--precision" },
        { "--fp8", "--precision fp8" },
        { "--fp16", "--precision fp16" },
        { "--bf16", "--precision bf16" },
        { "--quantization", "--frozen nf4" },
        { "--qlora", "--lora 16 --frozen nf4" },
        { "--ddp", "--zero 0" },
        { "--fsdp", "--zero 3" },
        { "--zero-stage", "--zero" },
        { "--activation-checkpointing", "--recompute full" },
        { "--gradient-checkpointing", "--recompute full" },
        { "--checkpoint", "--recompute full" },
        { "--cpu-offload", "--offload optimizer" },
        { "--flash", "--attention flash" },
        { "--price-per-hour", "--price" },
        { "--compile", "--software torch-compile" },
    };
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        char option[32];
        snprintf(option, sizeof option, "%.*s", (int)strcspn(synonyms[i][1], " "), synonyms[i][1]);
        if (nnc_same_name(synonyms[i][0], typed, strlen(typed)) &&
            nnc_option_find(list, option) != NULL) {
            return synonyms[i][1];
        }
    }
    return NULL;
}

nnc_status nnc_option_unknown(const nnc_option_spellings *list, const char *command,
                              const char *word, nnc_error *err)
{
    const char *names[NNC_SPELLINGS_MAX];
    char typed[64];
    nnc_option_spellings all;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(word, "="), word);

    const char *meant = synonym_of(list, typed);
    if (meant != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, did you mean %s?", meant);
    }
    for (int i = 0; i < list->count; i++) {
        names[i] = list->entries[i].name;
        if (strncmp(names[i], typed, strlen(typed)) == 0 && strlen(typed) > 2) {
            return nnc_fail(err, NNC_BAD_USAGE, typed,
                            "unknown option, options are not abbreviated: did you mean %s?",
                            names[i]);
        }
    }
    nnc_option_spellings_of(&all, ~0u);
    if (nnc_option_find(&all, typed) != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "is not an option of '%s'", command);
    }
    const char *nearest = nnc_nearest(typed, names, (size_t)list->count);
    if (nearest != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, did you mean %s?", nearest);
    }
    return nnc_fail(err, NNC_BAD_USAGE, typed, "unknown option, see 'nncost %s --help'", command);
}

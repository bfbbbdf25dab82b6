/* nncost plot: draws an estimate, or the plans that a search finds, as an SVG picture. With "-o NAME.png", a converter
 * program of the system makes a PNG file of the picture. */
#include <unistd.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "plot/plot_internal.h"

#ifndef NNC_NO_PROCESSES
#include <spawn.h>
#include <sys/wait.h>
#endif

/* Finds the kind of picture that the first operand names, such as "timeline" or "front". */
static nnc_status find_picture(const nnc_session *session, const nnc_picture **picture, nnc_error *err) {
    const nnc_names names = { nnc_picture_name, NNC_PICTURE_COUNT };
    const char *name = session->options.operands[0];
    char expected[128] = "";
    const int found = nnc_names_find_nocase(names, name);
    if (found >= 0) {
        *picture = nnc_pictures[found];
        return NNC_OK;
    }
    for (unsigned i = 0; i < NNC_PICTURE_COUNT; i++) {
        nnc_text_append(expected, sizeof expected, "", "%s%s", i > 0 ? ", " : "", nnc_picture_name(i));
    }
    return nnc_fail(err, NNC_BAD_USAGE, "plot", "unknown picture, expected one of %s, found \"%s\"", expected, name);
}

/* Chooses the options that `plot` accepts for a kind of picture: the options of a search are accepted only for pictures
 * of a search. */
static void form_of(const nnc_options *options, nnc_form *form) {
    const nnc_names names = { nnc_picture_name, NNC_PICTURE_COUNT };
    const char *name = options->operand_count > 0 ? options->operands[0] : "";
    const int found = nnc_names_find_nocase(names, name);
    if (found >= 0 && nnc_pictures[found]->of < NNC_PLOT_FRONT) {
        snprintf(form->name, sizeof form->name, "plot %s", nnc_pictures[found]->name);
        form->takes &= ~(unsigned)NNC_TAKES_SEARCH;
        form->takes |= NNC_LACKS_COST | NNC_LACKS_RUN | NNC_LACKS_MFU;
    }
}

/* Refuses options that have an effect only on other kinds of pictures. */
static nnc_status check_options(const nnc_options *options, const nnc_picture *picture, nnc_error *err) {
    const struct {
        const char *option;
        bool allowed;
    } some[] = {
        { "--stages", picture->by_stages },           { "--from", picture->of == NNC_PLOT_TIMELINE },
        { "--to", picture->of == NNC_PLOT_TIMELINE }, { "--against", picture->of < NNC_PLOT_FRONT },
        { "--best", picture->of == NNC_PLOT_FRONT },  { "--max-devices", picture->of == NNC_PLOT_SIZES },
    };
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        if (!some[i].allowed && nnc_option_given(options, some[i].option)) {
            return nnc_fail(err, NNC_BAD_USAGE, some[i].option, "is not an option of 'plot %s'", picture->name);
        }
    }
    return NNC_OK;
}

/* Refuses options of cost and of a whole run for a picture of a search that has no limit of time or cost. */
static nnc_status check_limits(const nnc_options *options, nnc_error *err) {
    static const char *const fields[] = { "tokens", "samples", "price" }, *const own[] = { "--seller", "--offer" };
    static const char needs[] = "has no effect here, expected together with --deadline or --budget";
    const nnc_search_options *search = &options->search;
    if (search->deadline_s > 0.0 || search->budget != NULL) { return NNC_OK; }
    for (int i = 0; i < options->given.own_count; i++) {
        char option[NNC_OPTION_NAME];
        const char *name = options->given.settings[i].field->name;
        for (size_t k = 0; k < NNC_COUNT_OF(fields); k++) {
            if (strcmp(name, fields[k]) == 0) {
                return nnc_fail(err, NNC_BAD_USAGE, nnc_option_name(name, option), needs);
            }
        }
    }
    for (size_t i = 0; i < NNC_COUNT_OF(own); i++) {
        if (nnc_option_typed(options, own[i])) { return nnc_fail(err, NNC_BAD_USAGE, own[i], needs); }
    }
    return nnc_run_options_refuse(&options->given, false, "--deadline or --budget", err);
}

static nnc_plot_how plot_style(const nnc_options *options) {
    return (nnc_plot_how){ .width = options->width,
                           .fragment = options->fragment,
                           .stages = options->stages,
                           .from_s = options->from_s,
                           .to_s = options->to_s };
}

static nnc_status draw(nnc_session *session, const nnc_plot_data *data, nnc_error *err) {
    const nnc_picture *picture = NULL;
    const nnc_plot_how how = plot_style(&session->options);
    NNC_TRY(find_picture(session, &picture, err));
    nnc_plot_draw(session->out, picture, data, &how);
    return NNC_OK;
}

/* State that is needed while a picture is drawn with the outline of a second estimate (--against). */
typedef struct outlined {
    nnc_session *session;
    const nnc_report *report;
} outlined;

static nnc_status draw_outlined(nnc_session *session, void *context, nnc_scenario *other, nnc_scratch *scratch,
                                nnc_error *err) {
    const outlined *o = context;
    (void)session, (void)scratch;
    return draw(o->session, &(nnc_plot_data){ .report = o->report, .other = &other->report }, err);
}

/* Reads `line`, the command line given as the value of --against, estimates its plan in a second session `other`, and
 * draws both estimates in one picture. */
static nnc_status draw_against(outlined *o, char *line, nnc_session *other, nnc_error *err) {
    enum { WORDS = 256 };
    char *words[WORDS + 1] = { (char *)"plot" };
    const int count = nnc_shell_split(line, words + 1, WORDS - 1);
    const int named = count > 0 && strcmp(words[1], "nncost") == 0 ? 1 : 0;
    const int first = named + (count > named && strcmp(words[1 + named], "estimate") == 0 ? 1 : 0);
    if (count - first < 1) {
        return nnc_fail(err, NNC_BAD_USAGE, "--against", "expected MODEL DEVICE and options, found %s",
                        count < 0 ? "too many words" : "nothing");
    }
    words[1 + count] = NULL;
    NNC_TRY(nnc_options_parse(count - first + 1, words + first, &nnc_cmd_estimate, &other->options, err));
    char **operands = other->options.operands;
    return nnc_scenario_report(other, operands[0], operands[1], draw_outlined, o, err);
}

static nnc_status draw_both(nnc_session *session, const nnc_report *report, nnc_error *err) {
    char *line = strdup(session->options.against);
    nnc_session *other = calloc(1, sizeof *other);
    nnc_status status = NNC_NO_MEMORY;
    if (line != NULL && other != NULL) {
        *other = (nnc_session){
            .style = session->style, .specs = session->specs, .data = session->data, .out = session->out
        };
        nnc_error why = { .status = NNC_OK };
        status = draw_against(&(outlined){ session, report }, line, other, &why);
        if (status != NNC_OK && strcmp(why.where, "--against") != 0) {
            nnc_fail(err, status, "--against", "%s: %s", why.where, why.what);
        } else if (status != NNC_OK) {
            *err = why;
        }
        nnc_options_free(&other->options);
    } else {
        nnc_no_memory(err);
    }
    free(other);
    free(line);
    return status;
}

static nnc_status draw_report(nnc_session *session, void *context, nnc_scenario *scenario, nnc_scratch *scratch,
                              nnc_error *err) {
    const nnc_picture *picture = NULL;
    const nnc_plot_how how = plot_style(&session->options);
    (void)context;
    NNC_TRY(find_picture(session, &picture, err));
    char text[NNC_NUMBER_TEXT], from[NNC_NUMBER_TEXT];
    const double end_s = isnan(how.to_s) ? scenario->result.step_s : how.to_s;
    if (how.from_s >= nnc_min(end_s, scenario->result.step_s)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--from",
                        "out of range, expected less than the %s at which the timeline ends, found %s",
                        nnc_unit_text(nnc_min(end_s, scenario->result.step_s), "s", text),
                        nnc_unit_text(how.from_s, "s", from));
    }
    if (picture->of == NNC_PLOT_TIMELINE) { NNC_TRY(nnc_scenario_timeline(scenario, scratch, err)); }
    const nnc_plot_data data = { .report = &scenario->report };
    const nnc_status status =
        session->options.against != NULL ? draw_both(session, data.report, err) : draw(session, &data, err);
    nnc_scenario_timeline_free(scenario);
    return status;
}

/* Draws a picture of a search. A Pareto front shows plans on one number of devices; a scaling chart shows several
 * numbers of devices. */
static nnc_status draw_found(nnc_session *session, void *context, const nnc_search_report *report, nnc_error *err) {
    (void)context;
    const nnc_picture *picture = NULL;
    NNC_TRY(find_picture(session, &picture, err));
    const bool sizes = report->sizes != NULL;
    if (sizes != (picture->of == NNC_PLOT_SIZES)) {
        return nnc_fail(err, NNC_BAD_USAGE, "--devices",
                        sizes ? "expected one number; 'plot scaling' shows several"
                              : "expected several numbers, such as 8..512");
    }
    return draw(session, &(nnc_plot_data){ .search = report }, err);
}

/* ---- converting a picture from SVG to PNG ---- */

static nnc_status refuse_png(nnc_error *err) {
    return nnc_fail(err, NNC_BAD_USAGE, "--output",
                    "PNG needs 'resvg' or 'rsvg-convert' (Debian: librsvg2-bin), found "
                    "neither; a file name that ends in .svg needs neither program");
}

#if defined(NNC_NO_PROCESSES)
nnc_status nnc_make_png(nnc_buffer *text, nnc_error *err) {
    (void)text;
    return refuse_png(err);
}
#else
/* Programs of the system that read SVG from standard input and write PNG to standard output. */
static char *const converters[][4] = { { (char *)"resvg", (char *)"-", (char *)"-c", NULL },
                                       { (char *)"rsvg-convert", (char *)"--zoom=2", NULL, NULL } };

extern char **environ;

static bool convert(char *const *words, FILE *svg, FILE *png) {
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) { return false; }
    const bool begun = posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDIN_FILENO) == 0 &&
                       posix_spawn_file_actions_adddup2(&actions, fileno(png), STDOUT_FILENO) == 0 &&
                       posix_spawnp(&child, words[0], &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return begun && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
/* Replaces the bytes of a buffer by the content of a file. Returns false if the file is empty. */
static bool take_bytes(nnc_buffer *text, FILE *file) {
    char bytes[4096];
    size_t size = 0;
    nnc_buffer_clear(text);
    rewind(file);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0) { nnc_buffer_put(text, bytes, size); }
    return text->size > 0;
}

/* Replaces the SVG text of a picture by PNG bytes. The first installed program of the table `converters` makes the PNG
 * bytes. */
nnc_status nnc_make_png(nnc_buffer *text, nnc_error *err) {
    FILE *svg = tmpfile(), *png = tmpfile();
    bool done = false;
    const bool written = svg != NULL && png != NULL && !text->failed &&
                         fwrite(text->bytes, 1, text->size, svg) == text->size && fflush(svg) == 0;
    for (size_t i = 0; written && !done && i < sizeof converters / sizeof converters[0]; i++) {
        rewind(svg);
        done = convert(converters[i], svg, png) && take_bytes(text, png);
    }
    if (svg != NULL) { fclose(svg); }
    if (png != NULL) { fclose(png); }
    return done ? NNC_OK : refuse_png(err);
}
#endif

static nnc_status draw_picture(nnc_session *session, const nnc_picture *picture, nnc_error *err) {
    char **operands = session->options.operands;
    if (picture->of < NNC_PLOT_FRONT) {
        NNC_TRY(nnc_run_options_refuse(&session->options.given, picture == &nnc_plot_step, "'nncost run'", err));
        return nnc_scenario_report(session, operands[1], operands[2], draw_report, NULL, err);
    }
    int64_t batch = 0;
    const char *chosen = "";
    NNC_TRY(check_limits(&session->options, err));
    NNC_TRY(nnc_batch_choose(session, operands[1], &batch, &chosen, err));
    return nnc_search_args_run(session, operands[1], operands[2], draw_found, NULL, err);
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    const nnc_picture *picture = NULL;
    const nnc_options *options = &session->options;
    NNC_TRY(find_picture(session, &picture, err));
    NNC_TRY(check_options(options, picture, err));
    NNC_TRY(draw_picture(session, picture, err));
    return options->output != NULL && nnc_ends_in(options->output, ".png") ? nnc_make_png(session->out, err) : NNC_OK;
}

const nnc_command nnc_cmd_plot = {
    .name = "plot",
    .operands = "PICTURE MODEL DEVICE | PICTURE PLANS.json [DEVICE]",
    .summary = "A picture as SVG: step, memory, roofline, timeline, front or scaling.",
    .notes = "step: the parts of a step and the 90 % range of the step time. memory: memory of the fullest device by "
             "class; with --stages, memory of every stage. roofline: every op under the roofline of the device. "
             "timeline: the passes of every pipeline stage over time. front: step time and memory of the plans that "
             "'search' finds for --devices N. scaling: throughput of the best plans for --devices 8..512. The "
             "numbers of a picture equal the numbers of 'estimate' or 'search' with the same options. The picture "
             "has the light or dark colours that the reader's browser asks for. '-o NAME.png' converts the picture "
             "with resvg or rsvg-convert, if one of these programs is installed. The command exits with 0 even if "
             "the step does not fit, and with 1 if no plan of a search fits.",
    .min_operands = 2,
    .max_operands = 3,
    .leading_operands = 1,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_FILES | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO |
             NNC_TAKES_SEARCH | NNC_TAKES_PLOT,
    .form = form_of,
    .run = run,
};

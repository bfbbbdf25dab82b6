/* HTML: a page that stands alone, and the parts of it that views write: paragraphs and tables. */
#include <string.h>

#include "render/render_internal.h"

/* Light or dark by the reader's choice; on paper always light, without page breaks inside a part. */
static const char style_sheet[] =
    "body{font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;"
    "max-width:60rem;margin:0 "
    "auto;padding:1rem;color:#1b1f24;background:#fff;overflow-wrap:anywhere}"
    "h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem}"
    ".verdict{font-size:1.15rem}svg.nnc{max-width:100%;height:auto;display:block;margin:1rem "
    "0}.wide svg.nnc{max-width:none}"
    "pre{white-space:pre-wrap;border:1px solid #d0d7de;padding:.6rem}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}"
    "th,td{white-space:nowrap;overflow-wrap:normal;text-align:left;padding:.2rem "
    ".6rem;border-bottom:1px solid #d0d7de}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}"
    "th button{font:inherit;color:inherit;background:none;border:0;padding:0;min-height:24px;"
    "cursor:pointer}dt{font-weight:600}dd{margin:0 0 .4rem}.phone{display:none}"
    "@media(max-width:500px){.desk{display:none}.phone{display:block}}"
    "@media screen and (prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}"
    "pre,th,td{border-color:#373e47}}"
    "@media "
    "print{.wide{overflow:visible}svg,tr,pre,.verdict{break-inside:avoid}.phone{display:none}"
    ".desk{display:block}}";

/* Sorts a table by a column; "12.30 ms", "386.5 G" and "41.2%" are compared as numbers. */
static const char script[] =
    "const size={n:1e-9,u:1e-6,m:1e-3,k:1e3,M:1e6,G:1e9,T:1e12,P:1e15,E:1e18};"
    "function worth(text){const m=/^([-+]?[\\d.,]+)\\s*([a-zA-Z]*)/.exec(text);"
    "if(!m)return null;const v=parseFloat(m[1].replace(/,/g,''));"
    "const p=m[2].length>1||'kMGTPE'.includes(m[2])?size[m[2][0]]:0;return v*(p||1)}"
    "for(const table of document.querySelectorAll('table')){"
    "const body=table.tBodies[0];[...table.tHead.rows[0].cells].forEach((head,i)=>{"
    "const button=document.createElement('button');button.type='button';"
    "button.append(...head.childNodes);head.append(button);"
    "button.addEventListener('click',()=>{"
    "const down=head.getAttribute('aria-sort')!=='descending';"
    "for(const h of table.tHead.rows[0].cells)h.removeAttribute('aria-sort');"
    "head.setAttribute('aria-sort',down?'descending':'ascending');"
    "const rows=[...body.rows].map(row=>[row,row.cells[i]?row.cells[i].textContent:'']);"
    "rows.sort(([,a],[,b])=>{const x=worth(a),y=worth(b);"
    "if((x===null)!==(y===null))return x===null?1:-1;"
    "const c=x===null?b.localeCompare(a):y-x;return down?c:-c});"
    "body.append(...rows.map(([row])=>row))})})}";

void nnc_html_begin(nnc_buffer *out, const char *title)
{
    nnc_buffer_text(out,
                    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
                    "form-action 'none'\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    nnc_put_xml(out, title);
    nnc_buffer_print(out, "</title>\n<style>%s", style_sheet);
    nnc_palette_css(out);
    nnc_buffer_text(out, "</style></head>\n<body><main>\n");
}

void nnc_html_end(nnc_buffer *out)
{
    nnc_buffer_print(out, "</main>\n<script>%s</script></body></html>\n", script);
}

void nnc_html_put(nnc_buffer *out, const char *element, const char *text)
{
    nnc_buffer_print(out, "<%s>", element);
    nnc_put_xml(out, text);
    nnc_buffer_print(out, "</%s>\n", element);
}

/* ---- the format: paragraphs and tables; --format does not offer it ---- */

static void put_label(nnc_sheet *sheet, const char *label)
{
    const bool below = *label == '\0' || *label == ' '; /* continues the line above */
    nnc_buffer_text(sheet->out, below ? "<br>" : "<p>");
    label += strspn(label, " ");
    if (*label != '\0') {
        nnc_buffer_text(sheet->out, "<b>");
        nnc_put_xml(sheet->out, label);
        nnc_buffer_text(sheet->out, "</b> ");
    }
}

static void put_text(nnc_sheet *sheet, const char *text)
{
    nnc_put_xml(sheet->out, text);
}

static void put_heading(nnc_buffer *out, const char *text)
{
    nnc_buffer_text(out, "\n<h3>");
    nnc_put_xml(out, text);
    nnc_buffer_text(out, "</h3>\n");
}

static void put_cell(nnc_buffer *out, const nnc_head *head, const char *element, const char *text)
{
    nnc_buffer_print(out, "<%s%s>", element, head->left ? "" : " class=\"n\"");
    nnc_put_xml(out, text);
}

static void put_table(nnc_buffer *out, nnc_style style, nnc_table *table)
{
    const char *cell = table->cells.bytes;
    (void)style;
    nnc_buffer_text(out, "<div class=\"wide\"><table><thead><tr>");
    for (int i = 0; i < table->count; i++) {
        if (table->heads[i].text != NULL) {
            put_cell(out, &table->heads[i], "th", table->heads[i].text);
        }
    }
    nnc_buffer_text(out, "</thead><tbody>\n");
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        const nnc_head *head = &table->heads[i % table->count];
        if (i % table->count == 0) {
            nnc_buffer_text(out, i > 0 ? "\n<tr>" : "<tr>");
        }
        if (head->text != NULL) {
            put_cell(out, head, "td", cell);
        }
    }
    nnc_buffer_text(out, "\n</tbody></table></div>\n");
}

static const nnc_page page = {
    .label = put_label, .text = put_text, .heading = put_heading, .table = put_table
};

static void write_view(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record)
{
    view->page(out, style, record);
}

const nnc_format nnc_format_html = { .name = "html", .view = write_view, .page = &page };

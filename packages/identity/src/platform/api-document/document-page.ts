/** Renders the API documentation as an HTML page, without scripts and external resources. */
import { createHash } from "node:crypto";

import { escapeHtml, htmlPage } from "../text/html.js";
import type {
  OpenApiDocument,
  Operation,
  OperationResponse,
  Parameter,
  OpenApiSchema,
} from "./openapi-types.js";
import { schemaMembers, typeText } from "./schema-text.js";

/** The style sheet of the page: light, dark, and narrow screens. */
const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1c2430; --faint: #566171; --line: #d8dee6; --back: #ffffff; --raised: #f5f7fa; --link: #0b57a4;
  --get: #0b57a4; --post: #1c6b35; --put: #805300; --patch: #5b3fa0; --delete: #a3202b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e4e9f0; --faint: #a3aebd; --line: #343d4a; --back: #12161c; --raised: #1b212a; --link: #7db8f5;
    --get: #7db8f5; --post: #7fd29a; --put: #e6b95c; --patch: #bda6f2; --delete: #f59a9f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 76rem; padding: 0 1rem 4rem;
  font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--back);
}
a { color: var(--link); }
code { font: 0.9em/1.4 ui-monospace, Consolas, monospace; overflow-wrap: anywhere; }
small { font-size: 0.85em; font-weight: normal; color: var(--faint); }
h1 { margin: 2rem 0 0.5rem; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.3rem; overflow-wrap: anywhere; }
h3 { margin: 1.25rem 0 0.25rem; font-size: 1rem; }
h4 { margin: 0.75rem 0 0.25rem; font-size: 0.95rem; font-weight: normal; }
header p { margin: 0.25rem 0; max-width: 48rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 1rem 0; padding: 0; list-style: none; }
details { border: 1px solid var(--line); border-radius: 0.4rem; margin: 0.4rem 0; background: var(--back); }
details:target { border-color: var(--link); }
summary {
  display: grid; grid-template-columns: 4.5rem minmax(0, 3fr) minmax(0, 2fr); gap: 0 0.75rem; align-items: baseline;
  padding: 0.5rem 0.75rem; cursor: pointer; border-radius: 0.4rem;
}
summary:hover, details[open] > summary { background: var(--raised); }
.method { font-weight: 600; font-size: 0.85rem; letter-spacing: 0.03em; }
.get, .head { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
.what, .type { color: var(--faint); }
.entry { padding: 0.25rem 0.75rem 0.75rem; border-top: 1px solid var(--line); }
.entry p { margin: 0.5rem 0; }
.entry .type { margin: 0.25rem 0; font-size: 0.9rem; }
.table { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.95rem; }
th, td { padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: normal; }
thead th { color: var(--faint); font-size: 0.85rem; }
tbody th { width: 40%; }
td { overflow-wrap: anywhere; }
.depth-1 { padding-left: 1.25rem; } .depth-2 { padding-left: 2.5rem; } .depth-3 { padding-left: 3.75rem; }
.depth-4 { padding-left: 5rem; } .depth-5 { padding-left: 6.25rem; } .depth-6 { padding-left: 7.5rem; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 0 2.5rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding-top: 1.5rem; }
  nav ul { flex-direction: column; }
}
@media (max-width: 40rem) {
  summary { grid-template-columns: 4.5rem minmax(0, 1fr); }
  .what { grid-column: 1 / -1; }
}
`;

/** The Content-Security-Policy of the page. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface Entry {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** @param options.documentUrl The URL of the OpenAPI document. */
export function documentPage(
  document: OpenApiDocument,
  { documentUrl }: { readonly documentUrl: string },
): string {
  const { title, description, version } = document.info;
  const groups = groupsOf(document);
  const body = `<header>
<h1>${escapeHtml(title)} <small>${escapeHtml(version)}</small></h1>
<p>${escapeHtml(description)}</p>
<p><a href="${escapeHtml(documentUrl)}">OpenAPI document</a></p>
</header>
<nav aria-label="Resources"><ul>
${groups.map(([name, entries]) => `<li><a href="#${anchorOf(name)}">${escapeHtml(name)}</a> <small>${entries.length}</small></li>`).join("\n")}
</ul></nav>
<main>
${groups.map(groupSection).join("\n")}
</main>`;
  return htmlPage({ title, style: STYLE, body });
}

/** Operations by their first tag. */
function groupsOf({ paths, tags }: OpenApiDocument): [string, Entry[]][] {
  const entries = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
  const names = [...tags.map(({ name }) => name), "other"];
  return names
    .map((name): [string, Entry[]] => [
      name,
      entries.filter(({ operation }) => (operation.tags[0] ?? "other") === name),
    ])
    .filter(([, found]) => found.length > 0);
}

function anchorOf(tag: string): string {
  return `tag-${encodeURIComponent(tag)}`;
}

function groupSection([name, entries]: [string, Entry[]]): string {
  return `<section aria-labelledby="${anchorOf(name)}">
<h2 id="${anchorOf(name)}">${escapeHtml(name)}</h2>
${entries.map(entryDetails).join("\n")}
</section>`;
}

function entryDetails({ path, method, operation }: Entry): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  return `<details id="${escapeHtml(operationId)}">
<summary><span class="method ${escapeHtml(method)}">${escapeHtml(method.toUpperCase())}</span> <code class="path">${escapeHtml(path)}</code> <span class="what">${escapeHtml(summary)}</span></summary>
<div class="entry">
${description === undefined ? "" : `<p>${escapeHtml(description)}</p>`}
${accessText(operation)}
${parameters === undefined ? "" : parameterTable(parameters)}
${requestBody === undefined ? "" : `<h3>Body</h3>\n${contentText(requestBody, "required")}`}
<h3>Responses</h3>
${Object.entries(responses).map(responseText).join("\n")}
</div>
</details>`;
}

function accessText({ "x-required-action": action }: Operation): string {
  return action === undefined
    ? `<p class="access">Public: no token required.</p>`
    : `<p class="access">Requires a token that allows <code>${escapeHtml(action)}</code>.</p>`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(
    ({ name, in: place, required, schema }) =>
      `<tr><th scope="row"><code>${escapeHtml(name)}</code>${required ? REQUIRED : ""}</th><td>${place}</td><td>${valueText(typeText(schema), schema.description)}</td></tr>`,
  );
  return `<h3>Parameters</h3>\n${table(["Name", "In", "Value"], rows)}`;
}

/** Which members are marked: the required ones of a body, or the optional ones of a response. */
type Remark = "required" | "optional";

const REQUIRED = ` <small>required</small>`;
const OPTIONAL = ` <small>optional</small>`;

function contentText({ content }: Pick<OperationResponse, "content">, remark: Remark): string {
  return Object.entries(content ?? {})
    .map(([type, { schema }]) => `<p class="type">${escapeHtml(type)}</p>\n${schemaText(schema, remark)}`)
    .join("\n");
}

function schemaText(schema: OpenApiSchema, remark: Remark): string {
  const rows = schemaMembers(schema).map(({ name, depth, isRequired, type, description }) => {
    const mark = remark === "required" ? isRequired && REQUIRED : !isRequired && OPTIONAL;
    return `<tr><th scope="row" class="depth-${depth}"><code>${escapeHtml(name)}</code>${mark || ""}</th><td>${valueText(type, description)}</td></tr>`;
  });
  return rows.length === 0 ? `<p>${escapeHtml(typeText(schema))}</p>` : table(["Member", "Value"], rows);
}

function valueText(type: string, description: string | undefined): string {
  return (
    escapeHtml(type) + (description === undefined ? "" : `<br><small>${escapeHtml(description)}</small>`)
  );
}

function table(heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((name) => `<th scope="col">${name}</th>`).join("");
  return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table></div>`;
}

/** Error responses share one schema, which is not repeated. */
function responseText([status, response]: [string, OperationResponse]): string {
  const title = `<h4><code>${escapeHtml(status)}</code> ${escapeHtml(response.description)}</h4>`;
  const schemas = Object.values(response.content ?? {}).map(({ schema }) => schema);
  return schemas.some(({ $ref }) => $ref !== undefined)
    ? title
    : `${title}\n${contentText(response, "optional")}`;
}

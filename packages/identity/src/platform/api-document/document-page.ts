/** Renders the API documentation as an HTML page, without scripts and external resources. */
import { createHash } from "node:crypto";

import { escapeHtml, htmlPage } from "../text/html.js";
import { STYLE } from "./document-style.js";
import type {
  OpenApiDocument,
  Operation,
  OperationResponse,
  Parameter,
  OpenApiSchema,
} from "./openapi-types.js";
import { schemaMembers, typeText } from "./schema-text.js";

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

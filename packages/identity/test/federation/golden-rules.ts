/** Deviations from Keystone's recorded responses, by the name of their section in docs/identity/differences.md. */
import { isDeepStrictEqual } from "node:util";

import type { GoldenRow } from "../golden.js";

export interface GoldenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The first rule that matches explains a deviation. */
export const RULES: Readonly<Record<string, (row: GoldenRow, found: GoldenResponse) => boolean>> = {
  "authorized-before-validated": (row, found) => row.status === 400 && [401, 403].includes(found.status),
  "schema-versions-are-checked": (row, found) =>
    row.status === 500 && found.status === 400 && messageOf(found.body).startsWith("schema_version"),
  "mistakes-are-told": (row, found) => row.status === 500 && found.status === 400,
  "ids-hold-slashes": (row) => row.path.includes("%2F"),
  "lists-come-in-pages": ({ path, status }, found) =>
    /[?&](?:limit|marker)=/.test(path) && status === found.status,
  "mappings-have-no-collection-methods": ({ path, method }) =>
    path.endsWith("/mappings") && !["GET", "HEAD"].includes(method),
  "protocols-need-a-provider": (row, found) =>
    row.path.endsWith("nope/protocols") && row.status === 200 && found.status === 404,
  "service-providers-are-on-the-web": (row, found) =>
    row.name.startsWith("sp create") && row.status === 201 && found.status === 400,
  "protocol-links-lead-to-the-protocol": (row, found) =>
    isSame(withoutLinks(row.response_body), withoutLinks(found.body)) && row.path.includes("/protocols"),
  "links-are-escaped": (row, found) => isSame(row.response_body, unescaped(found.body)),
  "rules-have-places": (row, found) =>
    row.name.startsWith("mapping") && row.status === 400 && found.status === 400,
  "patterns-are-checked": refusal(/invalid pattern/),
  "placeholders-are-checked": refusal(/is out of range/),
  "groups-have-domains": refusal(/the id or name of a domain/),
  "booleans-are-booleans": (row, found) =>
    /field\/attribute enabled/.test(messageOf(row.response_body)) && found.status === 400,
  "relay-states-begin-with-text": ({ name }, found) => name.includes("relay") && found.status === 400,
  "changed-mappings-have-warnings": (row, found) =>
    row.name.startsWith("mapping create") && isSame(row.response_body, withoutWarnings(found.body)),
  "remote-ids-may-be-long": (row, found) =>
    row.name.startsWith("idp create: remote_ids") && row.status === 400 && found.status === 201,
  "numbers-are-numbers": (row, found) => row.name.includes("NaN") && found.status === 400,
};

function refusal(pattern: RegExp) {
  return (row: GoldenRow, found: GoldenResponse): boolean =>
    row.status === 201 && found.status === 400 && pattern.test(messageOf(found.body));
}

function messageOf(body: unknown): string {
  return (body as { readonly error?: { readonly message?: string } } | undefined)?.error?.message ?? "";
}

/** Ids that were given, and orders that mean nothing, are left aside. */
function normal(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(/\b[0-9a-f]{32}\b/g, "ID");
  if (Array.isArray(value))
    return value.map(normal).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return mapMembers(value, (member) => normal(member));
}

function withoutLinks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLinks);
  return mapMembers(value, (member, name) => (name === "links" ? null : withoutLinks(member)));
}

function withoutWarnings(value: unknown): unknown {
  const { mapping = {} } = value as { readonly mapping?: object };
  const { warnings: _, ...others } = mapping as { readonly warnings?: unknown };
  return { mapping: others };
}

function unescaped(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith("http") ? decodeURI(value) : value;
  return Array.isArray(value) ? value.map(unescaped) : mapMembers(value, unescaped);
}

export function mapMembers(value: unknown, change: (member: unknown, name: string) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    ([name, member]) =>
      [
        name,
        // Keys are in one order, so that texts of them can be compared.
        change(member, name),
      ] as const,
  );
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(normal(a), normal(b));

/** Apart from lengths, ids of requests, and the order of methods. */
export function hasSameHeaders(
  { response_headers: recorded }: GoldenRow,
  { headers }: GoldenResponse,
): boolean {
  return ["content-type", "vary", "www-authenticate", "allow"].every(
    (name) => headerText(recorded[name]) === headerText(headers[name]),
  );
}

function headerText(value: unknown): string {
  return typeof value === "string" ? (value.split(";")[0] ?? "").split(", ").toSorted().join(", ") : "";
}

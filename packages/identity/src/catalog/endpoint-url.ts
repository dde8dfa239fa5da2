/**
 * Addresses with placeholders, `http://compute.example.com/v2.1/$(project_id)s`, which the catalog fills in for each token.
 *
 * Keystone hands them to the `%` of Python, after it has made `%(` of each `$(`. Of what can be written so, we know `%(name)s` and
 * `%%`.
 */

/** What can be filled in. */
export interface UrlValues {
  readonly project_id: string | undefined;
  readonly user_id: string | undefined;
  readonly public_endpoint: string;
}

/** Names that may stand in an address. */
const NAMES: Readonly<Record<string, keyof UrlValues | undefined>> = {
  project_id: "project_id",
  tenant_id: "project_id",
  user_id: "user_id",
  public_endpoint: "public_endpoint",
};

/** Nobody has had a value for this since 2017. It may still be written. */
const VALUELESS = "compute_host";

/** Text, and between it what is filled in. */
export type UrlTemplate = readonly (string | Placeholder)[];

interface Placeholder {
  /** `undefined` where nothing ever will be. */
  readonly value: keyof UrlValues | undefined;
}

/** Reads an address; `undefined` where a placeholder is none of those that there are. */
export function parseUrlTemplate(url: string): UrlTemplate | undefined {
  const parts = url.replaceAll("$(", "%(").split(/(%(?:\(\w+\)s|%)?)/);
  const template = parts.filter((part) => part !== "").map(parsePart);
  return template.includes(undefined) ? undefined : (template as UrlTemplate);
}

function parsePart(part: string): UrlTemplate[number] | undefined {
  if (part === "%%") return "%";
  if (!part.startsWith("%")) return part;
  const name = part.slice(2, -2);
  if (name === VALUELESS) return { value: undefined };
  return Object.hasOwn(NAMES, name) ? { value: NAMES[name] } : undefined;
}

/** The address; `undefined` where there is no value for a placeholder. */
export function fillUrlTemplate(template: UrlTemplate, values: UrlValues): string | undefined {
  let url = "";
  for (const part of template) {
    const text = typeof part === "string" ? part : part.value && values[part.value];
    if (text === undefined) return undefined;
    url += text;
  }
  return url;
}

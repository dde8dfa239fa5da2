/**
 * URL templates of endpoints, such as `http://compute.example.com/v2.1/$(project_id)s`, which the catalog fills in for each token.
 *
 * Keystone replaces `$(` by `%(` and applies Python's `%`. Of its conversions `%(name)s` and `%%` are supported.
 */

/** The values of placeholders. */
export interface UrlValues {
  readonly project_id: string | undefined;
  readonly user_id: string | undefined;
  readonly public_endpoint: string;
}

/** Names of placeholders. */
const NAMES: Readonly<Record<string, keyof UrlValues | undefined>> = {
  project_id: "project_id",
  tenant_id: "project_id",
  user_id: "user_id",
  public_endpoint: "public_endpoint",
};

/** Accepted, but without a value since 2017. */
const VALUELESS = "compute_host";

/** Text and placeholders. */
export type UrlTemplate = readonly (string | Placeholder)[];

interface Placeholder {
  /** `undefined` for a placeholder that never has a value. */
  readonly value: keyof UrlValues | undefined;
}

/** Parses a template; `undefined` if a placeholder is unknown. */
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

/** The URL; `undefined` if a placeholder has no value. */
export function fillUrlTemplate(template: UrlTemplate, values: UrlValues): string | undefined {
  let url = "";
  for (const part of template) {
    const text = typeof part === "string" ? part : part.value && values[part.value];
    if (text === undefined) return undefined;
    url += text;
  }
  return url;
}

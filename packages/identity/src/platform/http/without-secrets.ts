/** What a client sent, as it may be shown to it and to the log. */

const SECRETS: ReadonlySet<string> = new Set(["password", "original_password", "secret"]);

/** The same value with nothing of its passwords but their types. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRETS.has(name) && !isObject(member) ? hidden(member) : withoutSecrets(member),
    ]),
  );
}

/** The body of a login has an object of this name too. */
function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hidden(secret: unknown): unknown {
  if (typeof secret === "string") return "***";
  if (typeof secret === "number") return 0;
  return Array.isArray(secret) ? [] : secret;
}

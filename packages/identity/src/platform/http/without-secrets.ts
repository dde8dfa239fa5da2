/** What a client sent, as it may be shown to it and to the log. */

const SECRETS: ReadonlySet<string> = new Set([
  "password",
  "original_password",
  "secret",
  "client_secret",
  "client_private_key",
  "sp_private_key",
]);

/** The same value with nothing of its passwords but their types. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRETS.has(name) && !isMethod(name, member) ? hidden(member) : withoutSecrets(member),
    ]),
  );
}

/** The body of a login has an object of this name, which holds the user. */
function isMethod(name: string, value: unknown): boolean {
  return name === "password" && typeof value === "object" && value !== null && !Array.isArray(value);
}

function hidden(secret: unknown): unknown {
  if (typeof secret === "string") return "***";
  if (typeof secret === "number") return 0;
  if (typeof secret !== "object" || secret === null) return secret;
  return Array.isArray(secret) ? [] : {};
}

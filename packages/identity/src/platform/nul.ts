/** The character U+0000. SQLite ends a text with it, and PostgreSQL refuses it: whoever is called `admin\0` would be `admin`. */

/** Whether a text has it, or what is in a list or an object, names included. */
export function hasNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNul);
  return Object.entries(value).some(([name, member]) => hasNul(name) || hasNul(member));
}

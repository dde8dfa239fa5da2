/** The character U+0000. SQLite ends a text with it, and PostgreSQL refuses it: whoever is called `admin\0` would be `admin`. */

/** Whether a text has it, or what is in a list or an object, names included. Nesting costs no stack. */
export function hasNul(value: unknown): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" && next.includes("\0")) return true;
    if (typeof next !== "object" || next === null) continue;
    // No spread into `push`: arguments are on the stack too.
    if (Array.isArray(next)) for (const member of next) rest.push(member);
    else for (const [name, member] of Object.entries(next)) rest.push(name, member);
  }
  return false;
}

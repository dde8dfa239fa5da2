/** Detects U+0000. SQLite truncates text there, so that `admin\0` would become `admin`, and PostgreSQL rejects it. */

/** Whether a string, or any string within lists and objects (member names included), contains U+0000. Not recursive. */
export function hasNul(value: unknown): boolean {
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === "string" && next.includes("\0")) return true;
    if (typeof next !== "object" || next === null) continue;
    // No spread into `push`: arguments take stack space.
    if (Array.isArray(next)) for (const member of next) rest.push(member);
    else for (const [name, member] of Object.entries(next)) rest.push(name, member);
  }
  return false;
}

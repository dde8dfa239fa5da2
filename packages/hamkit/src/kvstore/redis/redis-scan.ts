/** Lists the keys of a Redis server in steps, between which it serves other clients. */
import { sendOne, toList, toText, type Connection } from "./redis-link.js";

/** Keys that a step of SCAN examines. */
const SCANNED_AT_ONCE = "2000";

/** The keys that begin with a text, a list for each step; a key may occur twice. */
export async function* scan(connection: Connection, start: string): AsyncGenerator<string[]> {
  const pattern = `${globEscaped(start)}*`;
  let cursor = "0";
  do {
    const reply = await sendOne(connection, ["SCAN", cursor, "MATCH", pattern, "COUNT", SCANNED_AT_ONCE]);
    const [next, keys] = toList(reply);
    yield toList(keys).map((key) => toText(key) ?? "");
    cursor = toText(next) ?? "0";
  } while (cursor !== "0");
}

/** A pattern of Redis that matches the text itself. */
function globEscaped(text: string): string {
  return text.replaceAll(/[*?[\]\\^-]/g, String.raw`\$&`);
}

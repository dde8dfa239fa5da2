/** The keys of one Redis server, step by step, so that it serves others meanwhile. */
import { sendOne, toList, toText, type Connection } from "./redis-link.js";

/** Keys that a step of SCAN looks at. */
const SCANNED_AT_ONCE = "2000";

/** The keys that begin with a text, those of each step together; some may come twice. */
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

/** A text that a pattern of Redis takes for itself. */
function globEscaped(text: string): string {
  return text.replaceAll(/[*?[\]\\^-]/g, String.raw`\$&`);
}

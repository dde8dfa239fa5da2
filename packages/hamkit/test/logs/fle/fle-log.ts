/** Logs in FLE for tests. */
import { expect } from "vitest";

import type { Log } from "../../../src/logs/log.js";
import { readLog, type ReadLogOptions } from "../../../src/logs/read-log.js";
import { pairs } from "../log-text.js";

export const HEAD = ["mycall dl0xyz", "date 2016-10-30", "80m cw"];

export async function readFleLog(lines: readonly string[], options: ReadLogOptions = {}): Promise<Log> {
  const log = await readLog(lines.join("\n"), options);
  expect(log.format).toBe("fle");
  return log;
}

export type Fields = Readonly<Record<string, string | undefined>>;

export function recordsOf({ qsos }: Log): Fields[] {
  return qsos.map((qso) => Object.fromEntries(pairs(qso)) as Fields);
}

/** The values of one field, below the head. */
export async function valuesOf(field: string, lines: readonly string[], options?: ReadLogOptions) {
  return recordsOf(await readFleLog([...HEAD, ...lines], options)).map((record) => record[field]);
}

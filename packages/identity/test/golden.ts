/** Keystone's recorded responses, if the folder `shared` is next to the checkout. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../../shared/identity/golden/", import.meta.url));

/** Whether the recorded answers are there. */
export const hasGolden: boolean = existsSync(folder);

/** A request and what Keystone answered. */
export interface GoldenRow {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly request_headers: Readonly<Record<string, string>>;
  readonly request_body: unknown;
  /** Whether the body is the text that was sent, and no value. */
  readonly request_body_is_raw: boolean;
  readonly status: number;
  readonly response_headers: Readonly<Record<string, string | boolean>>;
  readonly response_body: unknown;
}

/** The recorded requests, in their order: all, or those of one file such as `01_discovery`. */
export function goldenRows(recording: string, file = ""): GoldenRow[] {
  return readdirSync(`${folder}${recording}`)
    .filter((name) => name.startsWith(file) && name.endsWith(".jsonl"))
    .sort()
    .flatMap((name) => readFileSync(`${folder}${recording}/${name}`, "utf8").split("\n"))
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as GoldenRow);
}

/** The ids of what was set up, by the names that the recording gave them. */
export function goldenIds(recording: string): Readonly<Record<string, string>> {
  const text = readFileSync(`${folder}${recording}/_vars.json`, "utf8");
  return (JSON.parse(text) as { vars: Readonly<Record<string, string>> }).vars;
}

/** One value per line of `golden/NAME.jsonl`. */
export function goldenLines<Row>(name: string): Row[] {
  const text = readFileSync(`${folder}${name}.jsonl`, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

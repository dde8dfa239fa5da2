/** The peer's recorded answers, where the folder beside the checkout has them. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../../../shared/hamkit/", import.meta.url));

/** Whether the recorded answers are there. */
export const hasGolden: boolean = existsSync(folder);

/** One value per line of `golden/NAME.jsonl`. */
export function goldenRows<Row>(name: string): Row[] {
  const text = readFileSync(`${folder}golden/${name}.jsonl`, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

/** The path of a file or folder of that folder. */
export function sharedPath(name: string): string {
  return `${folder}${name}`;
}

/** The path of an input file. */
export function dataPath(name: string): string {
  return `${folder}data/${name}`;
}

/** Writes generated modules, and formats what is in them. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** Writes a file unless it has this content: an unchanged file is not compiled again. */
export function writeGenerated(url, text) {
  if (existing(url) === text) return;
  mkdirSync(new URL(".", url), { recursive: true });
  writeFileSync(url, text);
}

function existing(url) {
  try {
    return readFileSync(url, "utf8");
  } catch {
    return undefined;
  }
}

/** The lines of a text as those of a doc comment. */
export function commentLines(text) {
  return text
    .trim()
    .split("\n")
    .map((line) => ` * ${line}`.trimEnd())
    .join("\n");
}

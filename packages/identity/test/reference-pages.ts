/** Pages of docs/identity that are generated: `npx vitest run packages/identity/test/*-page.test.ts -u` writes them, the tests compare them. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The path of a page in docs/identity. */
export function pagePath(name: string): string {
  return fileURLToPath(new URL(`../../../docs/identity/${name}`, import.meta.url));
}

/** A table of Markdown, as the formatter writes it. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", String.raw`\|`)));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [first = [], ...others] = cells;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...others.map(line)].join("\n");
}

/** The rows of the tables of a page, without heads; none where it does not exist yet. */
export function tableRows(name: string): readonly (readonly string[])[] {
  const lines = textOf(name).split("\n");
  return lines
    .filter(
      (line, index) =>
        line.startsWith("| ") && !line.startsWith("| -") && lines[index + 1]?.startsWith("| -") !== true,
    )
    .map((line) =>
      line
        .slice(2, -2)
        .split(/ \| /)
        .map((cell) => cell.trim().replaceAll(String.raw`\|`, "|")),
    );
}

function textOf(name: string): string {
  try {
    return readFileSync(pagePath(name), "utf8");
  } catch {
    return "";
  }
}

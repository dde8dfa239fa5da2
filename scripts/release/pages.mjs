/** The pages that a release changes: how to install its packages, and what it brings. */

/** Pages that say how to install from a checkout, until the first release. */
const INSTALL_PAGES = ["packages/hamkit/README.md", "packages/country-data/README.md", "docs/hamkit.md"];
const NEXT = "docs/releases/next.md";
const LIST = "docs/releases/README.md";
const INDEX = "docs/README.md";

export const PAGES = [...INSTALL_PAGES, NEXT, LIST, INDEX];

const FROM_CHECKOUT =
  /<!-- Until the first release\.[^>]* by: (npm install \S+) -->[^]*?<!-- End of what a release replaces\. -->/g;

/**
 * @param input.version Such as `0.3.0`.
 * @param input.files The texts of {@link PAGES} by path.
 * @returns The changed and new texts by path.
 * @throws {Error} The page of the next release is not as expected.
 */
export function planPages({ version, files }) {
  const changed = new Map();
  for (const path of INSTALL_PAGES)
    changed.set(path, files.get(path).replaceAll(FROM_CHECKOUT, "```sh\n$1\n```"));
  const next = files.get(NEXT);
  if (!next.startsWith("# The next release\n"))
    throw new Error(`${NEXT} does not begin with "# The next release"`);
  changed.set(
    `docs/releases/${version}.md`,
    next.replace("# The next release", `# ${version}`).replaceAll("the next release", version),
  );
  changed.set(NEXT, `# The next release\n\nNothing yet beyond [${version}](${version}.md).\n`);
  changed.set(LIST, withRow(files.get(LIST), version));
  changed.set(INDEX, files.get(INDEX).replaceAll("releases/next.md#", `releases/${version}.md#`));
  return changed;
}

/** The row of the next release is that of the version, below a new one. */
function withRow(list, version) {
  const [row] = /^\| \[next\]\(next\.md\).*$/m.exec(list) ?? [];
  if (row === undefined) throw new Error(`${LIST} has no row of the next release`);
  const [, , text] = row.split("|");
  const [name, link] = ["[next](next.md)", `[${version}](${version}.md)`].map((cell) =>
    cell.padEnd(row.split("|")[1].length - 2),
  );
  return list.replace(row, `| ${name} |${" nothing yet".padEnd(text.length)}|\n| ${link} |${text}|`);
}

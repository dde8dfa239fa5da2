/** Ids of headings as GitHub makes them, and links that leave docs/: they lead to the repository. */
import { readFileSync } from "node:fs";
import { posix } from "node:path";

const { repository } = JSON.parse(
  readFileSync(new URL("../packages/hamkit/package.json", import.meta.url), "utf8"),
);
/** Where files of the repository are shown. */
const FILES = `${repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/blob/main/`;

/** As test/documents.test.ts of hamkit checks it. */
export function headingId(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
}

export function rewriteLinks(markdown) {
  markdown.core.ruler.push("links-out-of-docs", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== "link_open") continue;
      const href = token.attrGet("href");
      if (href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue;
      const path = posix.join("docs", posix.dirname(env.relativePath ?? ""), href);
      token.attrSet("href", targetOf(path, href));
    }
  });
}

function targetOf(path, href) {
  if (!path.startsWith("docs/")) return FILES + path;
  // Examples and other files are no pages.
  const isPage = /^[^#]*\.(?:md|html)(?:#|$)|^[^.#]*$/.test(href);
  return isPage ? href.replace("README.md", "index.md") : FILES + path;
}

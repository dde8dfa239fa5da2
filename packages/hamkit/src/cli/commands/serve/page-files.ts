/** The files of the built radio page, read once, so that a request is never a path of the disk. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";

import { UsageError } from "../../exit-code.js";

/** A file as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
  /** Its name has a hash of its content. */
  readonly isLasting: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** The page finds the server by it. */
const LIVE = '<meta name="live" content="./live/" />';

/**
 * Files by path, such as `/` and `/assets/index-Ab12.js`.
 *
 * @param locator The own locator of a page that was not given one.
 * @throws {UsageError} The folder has no built page.
 */
export async function readPageFiles(
  folder: string,
  locator?: string,
): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile() && Object.hasOwn(TYPES, extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
  const files = new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, PageFile]> => {
        const name = `/${relative(folder, path).replaceAll(sep, "/")}`;
        const content = await readFile(path);
        return [name, fileOf(name, name === "/index.html" ? withFacts(content, locator) : content)];
      }),
    ),
  );
  const index = files.get("/index.html");
  if (index === undefined)
    throw new UsageError(`--page: ${folder} has no index.html; expected the folder of the built radio page`);
  files.set("/", index);
  return files;
}

/** What the page learns of the server before it asks anything. */
function withFacts(page: Buffer, locator: string | undefined): Buffer {
  const own = `<meta name="locator" content="${locator?.toUpperCase()}" />`;
  const facts = locator === undefined ? [LIVE] : [LIVE, own];
  return Buffer.from(page.toString().replace("<head>", ["<head>", ...facts].join("\n    ")));
}

function fileOf(name: string, content: Buffer): PageFile {
  return {
    type: TYPES[extname(name)] ?? "",
    content,
    zipped: gzipSync(content),
    etag: `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`,
    isLasting: name.startsWith("/assets/"),
  };
}

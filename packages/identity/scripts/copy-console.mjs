/**
 * Copies the built console (packages/console/dist) next to the service, with compressed files next to those that are worth it. Without
 * that package there is nothing to copy, and the service has no console.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const source = fileURLToPath(new URL("../../console/dist/", import.meta.url));
const target = fileURLToPath(new URL("../dist/console/page/", import.meta.url));
const PAGE = "index.html";
const COMPRESSED = new Set([".css", ".js", ".json", ".svg", ".txt"]);
/** Smaller files fit into a packet or two anyway. */
const MIN_BYTES = 1024;

/** Copies what has changed since the last time. */
export function copyConsole() {
  if (!existsSync(join(source, PAGE))) {
    rmSync(target, { recursive: true, force: true });
    return;
  }
  const page = join(target, PAGE);
  if (existsSync(page) && statSync(page).mtimeMs >= statSync(join(source, PAGE)).mtimeMs) return;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const isShown = (path) => !path.slice(source.length).startsWith(".");
  cpSync(source, target, { recursive: true, filter: isShown });
  for (const name of readdirSync(target, { recursive: true, encoding: "utf8" })) compress(join(target, name));
}

function compress(file) {
  if (file.endsWith(PAGE) || !COMPRESSED.has(extname(file))) return;
  const bytes = readFileSync(file);
  if (bytes.length < MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}

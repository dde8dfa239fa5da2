/**
 * The pages of the console: files that the build has put next to the service.
 *
 * Each response with the page itself has a nonce of its own, for the styles of the rule editor. Nothing else may run inline, nothing is
 * loaded from elsewhere, and no other page may frame it.
 */
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import type { FastifyReply, FastifyRequest } from "fastify";

import { NotFoundError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { randomBytes } from "../platform/ids.js";
import { CONSOLE_PATH, isLoopback, type ConsoleAddress } from "./console-address.js";

/** Next to the bundle; next to the compiled modules; next to their sources. */
const FOLDERS = ["./console/page/", "./page/", "../../dist/console/page/"];
const PAGE = "index.html";
/** In the page: replaced by the nonce of each response. */
const NONCE = "__CSP_NONCE__";
/** Their names have a digest of their content. */
const HASHED = "assets/";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};
/** As the build compresses files, the smaller first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

export interface ConsoleFiles {
  /** Paths below the folder, with slashes. */
  readonly names: ReadonlySet<string>;
  read(name: string): Promise<Buffer>;
}

/** @returns `undefined` where the console was not built. */
export function findConsoleFiles(folder: string | undefined = builtFolder()): ConsoleFiles | undefined {
  if (folder === undefined || !existsSync(join(folder, PAGE))) return undefined;
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const names = new Set(
    found.map((name) => name.replaceAll(sep, "/")).filter((name) => extname(name) in KNOWN),
  );
  return { names, read: (name) => readFile(join(folder, name)) };
}

const KNOWN: Readonly<Record<string, unknown>> = { ...TYPES, ".br": true, ".gz": true };

function builtFolder(): string | undefined {
  return FOLDERS.map((folder) => fileURLToPath(new URL(folder, import.meta.url))).find((folder) =>
    existsSync(folder),
  );
}

export interface ConsoleFilesDeps {
  readonly address: ConsoleAddress;
  readonly files: ConsoleFiles;
}

/** Adds the routes of the pages and of their files. */
export function addConsoleFiles(server: HttpServer, deps: ConsoleFilesDeps): void {
  const config = { access: "public" } as const;
  server.get(CONSOLE_PATH, { config }, (request, reply) => showPage(deps, request, reply as never));
  server.get<{ Params: { "*": string } }>(`${CONSOLE_PATH}/*`, { config }, (request, reply) => {
    const { "*": name } = request.params;
    if (deps.files.names.has(name) && name !== PAGE) return sendFile(deps, request, reply, name);
    // Every other address is a page of the application, except those that can only be mistakes.
    const isFile = !name.includes("/") && extname(name) in TYPES;
    if (isFile || name.startsWith(HASHED) || /^api(?:\/|$)/.test(name))
      throw new NotFoundError("Could not find the resource. The requested URL was not found on the server.");
    return showPage(deps, request, reply);
  });
}

/** Requests of pages are accepted from the public URL's origin alone: a browser at another name of this machine is sent there. */
async function showPage(
  deps: ConsoleFilesDeps,
  { headers: { host = "" }, url }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { origin, isSecure } = deps.address;
  const requested = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const isOtherName =
    !isSecure &&
    requested !== undefined &&
    requested.origin !== origin &&
    requested.port === new URL(origin).port &&
    isLoopback(requested.hostname);
  return isOtherName ? reply.redirect(origin + url, 302) : sendPage(deps, reply);
}

async function sendPage({ address, files }: ConsoleFilesDeps, reply: FastifyReply): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString("base64url");
  const page = (await files.read(PAGE)).toString();
  return reply
    .headers({
      ...PAGE_HEADERS,
      "content-security-policy": policyOf(nonce),
      "content-type": TYPES[".html"],
    })
    .send(below(address.path, page).replaceAll(NONCE, nonce));
}

/** The page names its files by the path from where it was built: the public URL may have a path of its own. */
function below(path: string, page: string): string {
  return page.replaceAll(/((?:src|href|content)=")(?:\.|\/console)\//g, (_, start: string) => start + path);
}

const PAGE_HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

async function sendFile(
  { files }: ConsoleFilesDeps,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<FastifyReply> {
  const accepted = headers["accept-encoding"] ?? "";
  const [encoding, suffix] = ENCODINGS.find(
    ([each, ending]) => accepts(accepted, each) && files.names.has(name + ending),
  ) ?? [undefined, ""];
  return reply
    .headers({
      vary: "Accept-Encoding",
      "content-type": TYPES[extname(name)] ?? "application/octet-stream",
      "cache-control": name.startsWith(HASHED) ? "public, max-age=31536000, immutable" : "no-cache",
      "cross-origin-resource-policy": "same-origin",
      ...(encoding !== undefined && { "content-encoding": encoding }),
    })
    .send(await files.read(name + suffix));
}

function accepts(header: string, encoding: string): boolean {
  return header.split(",").some((part) => {
    const [name = "", ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    return name === encoding && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each));
  });
}

/** Adds a response in plain text wherever pages would be. */
export function addConsoleNotice(server: HttpServer, notice: string): void {
  for (const url of [CONSOLE_PATH, `${CONSOLE_PATH}/*`])
    server.get(url, { config: { access: "public" } }, (_request, reply) =>
      reply.code(503).type("text/plain; charset=utf-8").send(`${notice}\n`),
    );
}

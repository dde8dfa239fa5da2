/** A web server for files, as any other would serve them: no bundler, no rewriting. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

export interface StaticServer {
  readonly url: string;
  /** Paths that were asked for and are not there. */
  readonly missing: readonly string[];
  close(): Promise<void>;
}

/**
 * Serves the files below a folder on loopback.
 *
 * @param pages Further files by path; one without an extension is HTML.
 */
export async function serveFiles(
  folder: string,
  pages: Readonly<Record<string, string>> = {},
): Promise<StaticServer> {
  const missing: string[] = [];
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    missing,
    close: () =>
      new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve()))),
  };

  async function answer({ url = "/" }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(url, "http://localhost"); // without any ".."
    try {
      const file = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
      const content = pages[pathname] ?? (await readFile(join(folder, file)));
      const type = extname(file) || ".html";
      response.writeHead(200, { "content-type": TYPES[type] ?? "application/octet-stream" }).end(content);
    } catch {
      missing.push(pathname);
      response.writeHead(404).end();
    }
  }
}

/**
 * What the console shows of the cloud: its name, its logo, and whom to ask. `GET /console/api/cloud` and `/console/logo` are public, as
 * the sign-in page shows them.
 */
import { readFileSync, statSync } from "node:fs";

import type { HttpServer } from "../platform/http/http-server.js";
import { notAFile, unreadableReason } from "../platform/readable-file.js";
import { CONSOLE_API_PATH, CONSOLE_PATH } from "./console-address.js";

const MAX_LOGO_BYTES = 65_536;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export interface Logo {
  readonly type: "image/png" | "image/svg+xml";
  readonly bytes: Buffer;
}

export interface CloudLooks {
  readonly name: string;
  readonly contact: string | undefined;
  readonly logo: Logo | undefined;
}

/** @throws {Error} The file can't be read, is too large, or is neither PNG nor SVG: the message goes after the path. */
export function readLogo(path: string): Logo {
  let size: number;
  let reason: string | undefined;
  let bytes: Buffer;
  try {
    const stats = statSync(path);
    size = stats.size;
    reason = notAFile(stats);
    bytes = reason === undefined && size <= MAX_LOGO_BYTES ? readFileSync(path) : Buffer.alloc(0);
  } catch (error) {
    throw new Error(unreadableReason(error), { cause: error });
  }
  if (reason !== undefined) throw new Error(reason);
  if (size > MAX_LOGO_BYTES) throw new Error(`has ${size} bytes, at most ${MAX_LOGO_BYTES} are allowed`);
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return { type: "image/png", bytes };
  const isSvg = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<svg[\s>]/.test(bytes.toString("utf8"));
  if (isSvg) return { type: "image/svg+xml", bytes };
  throw new Error("is neither a PNG nor an SVG file: it begins with neither the signature of PNG nor <svg");
}

export function addCloudRoutes(server: HttpServer, { name, contact, logo }: CloudLooks): void {
  const config = { access: "public" } as const;
  server.get(`${CONSOLE_API_PATH}/cloud`, { config }, async () => ({
    name,
    contact: contact ?? null,
    has_logo: logo !== undefined,
  }));
  if (logo === undefined) return;
  server.get(`${CONSOLE_PATH}/logo`, { config }, async (_request, reply) =>
    reply
      .headers({
        "content-type": logo.type,
        "cache-control": "public, max-age=300",
        // An SVG that is opened by itself is a document: it runs nothing and loads nothing.
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
      })
      .send(logo.bytes),
  );
}

/** The settings of a protocol, told apart by their content: any change of facts makes new objects of all of them. */
import { createHash } from "node:crypto";

/** Settings hold up to a megabyte of metadata: each object is digested once. */
const digests = new WeakMap<object, string>();

/** @returns SHA-256, in base64. */
export function settingsDigest(settings: object): string {
  const digest =
    digests.get(settings) ?? createHash("sha256").update(JSON.stringify(settings)).digest("base64");
  digests.set(settings, digest);
  return digest;
}

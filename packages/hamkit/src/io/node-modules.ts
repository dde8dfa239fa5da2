/**
 * Access to Node's built-in modules without importing them.
 *
 * They are resolved when they are used, so that every public module also loads in a browser, with a bundler or without.
 */
import type crypto from "node:crypto";
import type dgram from "node:dgram";
import type fs from "node:fs/promises";
import type net from "node:net";
import type os from "node:os";
import type path from "node:path";
import type process from "node:process";
import type util from "node:util";
import type zlib from "node:zlib";

import { IOError } from "../errors.js";

interface NodeModules {
  readonly "node:crypto": typeof crypto;
  readonly "node:dgram": typeof dgram;
  readonly "node:fs/promises": typeof fs;
  readonly "node:net": typeof net;
  readonly "node:os": typeof os;
  readonly "node:path": typeof path;
  readonly "node:process": typeof process;
  readonly "node:util": typeof util;
  readonly "node:zlib": typeof zlib;
}

/** A UDP socket of Node. */
export type DatagramSocket = dgram.Socket;

interface Host {
  readonly process?: { getBuiltinModule?(name: string): object | undefined };
}

/**
 * A built-in module of Node.
 *
 * @throws {IOError} The runtime has no such module, as a browser.
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] {
  const found = builtin(name);
  if (found === undefined) throw new IOError(name, "this module of Node is not available in a browser");
  return found as NodeModules[Name];
}

/** Whether the runtime has a file system: Node and compatible runtimes, not browsers. */
export function hasFiles(): boolean {
  return builtin("node:fs/promises") !== undefined;
}

function builtin(name: string): object | undefined {
  const { process: host }: Host = globalThis;
  return host?.getBuiltinModule?.(name);
}

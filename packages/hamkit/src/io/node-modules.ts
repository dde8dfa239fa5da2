/**
 * Node's own modules, for what reads and writes files.
 *
 * They are asked for when they are used, and never imported: a browser, which has no files, loads every public module
 * all the same, with a bundler or without.
 */
import type crypto from "node:crypto";
import type fs from "node:fs/promises";
import type os from "node:os";
import type path from "node:path";
import type process from "node:process";
import type util from "node:util";
import type zlib from "node:zlib";

import { IOError } from "../errors.js";

interface NodeModules {
  readonly "node:crypto": typeof crypto;
  readonly "node:fs/promises": typeof fs;
  readonly "node:os": typeof os;
  readonly "node:path": typeof path;
  readonly "node:process": typeof process;
  readonly "node:util": typeof util;
  readonly "node:zlib": typeof zlib;
}

interface Host {
  readonly process?: { getBuiltinModule?(name: string): object | undefined };
}

/**
 * A module of Node's.
 *
 * @throws {IOError} This is a browser.
 */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] {
  const found = builtin(name);
  if (found === undefined) throw new IOError(name, "this is a module of Node's, and not there in a browser");
  return found as NodeModules[Name];
}

/** Whether there are files: in Node and what is like it, not in a browser. */
export function hasFiles(): boolean {
  return builtin("node:fs/promises") !== undefined;
}

function builtin(name: string): object | undefined {
  const { process: host }: Host = globalThis;
  return host?.getBuiltinModule?.(name);
}

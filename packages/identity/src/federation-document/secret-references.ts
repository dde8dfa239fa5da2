/** References to secrets: the document names an environment variable or a file, and never has the secret itself. */
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { quoted } from "../platform/text/quoted-value.js";

/** Where a secret is: in an environment variable, or in a file, relative to that of the document. */
export type SecretReference = { readonly env: string } | { readonly file: string };

/** Reads secrets. */
export interface SecretSource {
  /** @throws {SecretUnreadable} */
  read(reference: SecretReference): string;
}

/** Why a secret can't be read; never the secret. */
export class SecretUnreadable extends Error {
  override readonly name = "SecretUnreadable";
}

/** Characters of a secret, as in requests. */
const MAX_SECRET_CHARACTERS = 65_536;

export function isSecretReference(value: unknown): value is SecretReference {
  if (typeof value !== "object" || value === null) return false;
  const [first, ...others] = Object.entries(value);
  if (first === undefined || others.length > 0) return false;
  const [name, target] = first as [string, unknown];
  return (name === "env" || name === "file") && typeof target === "string" && target !== "";
}

/** @param folder Of the document. */
export function secretsOfProcess(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): SecretSource {
  return {
    read(reference) {
      if ("env" in reference) {
        const value = env[reference.env];
        if (value === undefined || value === "")
          throw new SecretUnreadable(`the environment variable ${reference.env} is not set`);
        return checked(value, `the environment variable ${reference.env}`);
      }
      return checked(contentOf(resolve(folder, reference.file)), `the file ${quoted(reference.file)}`);
    },
  };
}

/** @param secrets Those that came with a request, by the names of variables. The service's own environment and files are not read. */
export function secretsOfRequest(secrets: Readonly<Record<string, string>>): SecretSource {
  return {
    read(reference) {
      if ("file" in reference)
        throw new SecretUnreadable(
          `${quoted(reference.file)} is a file, expected { env: NAME } with the secret in the request's "secrets"`,
        );
      const { env: name } = reference;
      const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      if (value === undefined) throw new SecretUnreadable(`the request's "secrets" have no ${quoted(name)}`);
      return checked(value, `the secret ${quoted(name)} of the request`);
    },
  };
}

function contentOf(path: string): string {
  try {
    // Editors and `echo` end a file with a line break that is not part of the secret.
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new SecretUnreadable(
      `the file ${quoted(path)} can't be read: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`,
    );
  }
}

function checked(secret: string, source: string): string {
  if (secret === "") throw new SecretUnreadable(`${source} is empty`);
  if (secret.length > MAX_SECRET_CHARACTERS || secret.includes("\0"))
    throw new SecretUnreadable(`${source} has more than ${MAX_SECRET_CHARACTERS} characters, or U+0000`);
  return secret;
}

/** Whether two secrets are equal, compared by their digests. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The name of a variable that an export refers to: `CORP_OPENID_CLIENT_SECRET`. @param taken Names of other secrets; the result is added. */
export function variableFor(parts: readonly string[], taken: Set<string>): string {
  const base = parts
    .map((part) => part.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_"))
    .join("_")
    .replace(/^(?=\d)/, "_");
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  taken.add(name);
  return name;
}

/** A cloud of a real Keystone, if the folder `shared` is next to the checkout: its keys, tokens, and what it answered. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { GoldenRow } from "./golden.js";

const folder = fileURLToPath(new URL("../../../../shared/identity/import/", import.meta.url));

/** Releases of Keystone. */
export const CLOUDS = ["zed", "head"] as const;
/** `directory`: a cloud whose users are in LDAP. */
export type CloudName = (typeof CLOUDS)[number] | "directory";

export const hasClouds: boolean = existsSync(folder);

/** `[auth] methods` of both. */
export const CLOUD_METHODS = [
  "password",
  "token",
  "application_credential",
  "totp",
  "oauth1",
  "mapped",
  "openid",
  "saml2",
];

export function cloudFolder(cloud: CloudName): string {
  return cloud === "directory" ? `${folder}../ldap/import/` : `${folder}${cloud}/`;
}

/** Recorded requests: `tokens`, `logins` or `expected`. */
export function cloudRows(cloud: CloudName, file: string): GoldenRow[] {
  return readFileSync(`${cloudFolder(cloud)}${file}.jsonl`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as GoldenRow);
}

export interface CloudIds {
  /** `kind:name` to id. */
  readonly ids: Readonly<Record<string, string>>;
  /** Alias to token. */
  readonly tokens: Readonly<Record<string, string>>;
}

export function cloudIds(cloud: CloudName): CloudIds {
  return JSON.parse(readFileSync(`${cloudFolder(cloud)}ids.json`, "utf8")) as CloudIds;
}

/** The policy files of a Keystone: the settings that name them here, and what of them this service refuses. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { checkPolicyTexts, readTexts } from "@hamkit/identity/import-support/api-rules";
import { messageOf } from "@hamkit/identity/import-support/command-line";

import type { KeystoneSetting, UnsupportedOption } from "./option-counterparts.js";
import type { OsloConfig } from "./oslo-config.js";

const GROUP = "oslo_policy";
/** Settings that follow from what is found, too, not from an option alone. */
export const POLICY_SETTINGS = { file: "IDENTITY_POLICY_FILE", folders: "IDENTITY_POLICY_DIRS" } as const;
/** Keystone reads them next to keystone.conf, also without an option. */
const STANDARD_FILES = ["policy.yaml", "policy.json"];
const STANDARD_FOLDER = "policy.d";

/** @param path Of keystone.conf, to which other paths are relative. */
export function readKeystonePolicy(
  conf: OsloConfig,
  path: string,
): { readonly settings: KeystoneSetting[]; readonly unsupported: UnsupportedOption[] } {
  const home = dirname(path);
  const named = conf.value(GROUP, "policy_file");
  const file =
    named === undefined
      ? STANDARD_FILES.map((name) => join(home, name)).find(existsSync)
      : resolve(home, named.trim());
  const namedFolders = conf.values(GROUP, "policy_dirs");
  const folders = (namedFolders.length === 0 ? [STANDARD_FOLDER] : namedFolders)
    .map((name) => resolve(home, name.trim()))
    .filter(existsSync);
  return {
    settings: [
      ...(file === undefined
        ? []
        : [{ option: `[${GROUP}] policy_file`, setting: POLICY_SETTINGS.file, value: file }]),
      ...(folders.length === 0
        ? []
        : [{ option: `[${GROUP}] policy_dirs`, setting: POLICY_SETTINGS.folders, value: folders.join(",") }]),
    ],
    unsupported: problemsIn(file, folders),
  };
}

/** With them the service would not start. */
function problemsIn(file: string | undefined, folders: readonly string[]): UnsupportedOption[] {
  try {
    return checkPolicyTexts(readTexts({ file, folders })).problems.map((problem) => ({
      option: `${problem.file}:${problem.line}${problem.rule === undefined ? "" : ` ${problem.rule}`}`,
      reason: problem.reason,
    }));
  } catch (error) {
    return [{ option: `[${GROUP}] policy_file`, reason: messageOf(error) }];
  }
}

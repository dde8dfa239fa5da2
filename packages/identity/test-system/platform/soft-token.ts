/** A token of SoftHSM in a folder of the test's own, and AES keys in it, made as docs/identity/master-key.md says. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const SOFT_MODULE = "/usr/lib/softhsm/libsofthsm2.so";
export const SOFT_PIN = "48151623";

export interface SoftToken {
  /** The variable by which processes find the tokens. */
  readonly env: { readonly SOFTHSM2_CONF: string };
  addToken(label: string): void;
  /** @param more Further options of pkcs11-tool. */
  makeKey(label: string, ...more: readonly string[]): void;
  listSlots(): string;
}

/** A token "identity" with a key "hamkit-identity". */
export function createSoftToken(folder: string): SoftToken {
  const tokens = join(folder, "tokens");
  mkdirSync(tokens);
  const conf = join(folder, "softhsm2.conf");
  writeFileSync(conf, `directories.tokendir = ${tokens}\n`);
  const env = { SOFTHSM2_CONF: conf };
  const run = (program: string, args: readonly string[]) =>
    execFileSync(program, args, { env: { ...process.env, ...env, PIN: SOFT_PIN }, stdio: "pipe" }).toString();
  const token: SoftToken = {
    env,
    addToken(label) {
      const pins = ["--pin", SOFT_PIN, "--so-pin", "security officer"];
      run("softhsm2-util", ["--init-token", "--free", "--label", label, ...pins]);
    },
    makeKey(label, ...more) {
      const login = ["--module", SOFT_MODULE, "--token-label", "identity", "--login", "--pin", "env:PIN"];
      run("pkcs11-tool", [
        ...login,
        "--keygen",
        "--key-type",
        "AES:32",
        "--label",
        label,
        "--sensitive",
        ...more,
      ]);
    },
    listSlots: () => run("softhsm2-util", ["--show-slots"]),
  };
  token.addToken("identity");
  token.makeKey("hamkit-identity");
  return token;
}

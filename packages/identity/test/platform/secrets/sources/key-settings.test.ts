/** Settings of sources of the master key that contradict each other, or lack some. */
import { describe, expect, it } from "vitest";

import { readConfig } from "../../../../src/config.js";

const VAULT = { IDENTITY_VAULT_URL: "https://vault.example.org:8200", IDENTITY_VAULT_TOKEN_FILE: "/token" };
const TOKEN = {
  IDENTITY_PKCS11_MODULE: "/module.so",
  IDENTITY_PKCS11_TOKEN: "hsm",
  IDENTITY_PKCS11_PIN: "1234",
};

describe("the settings of the master key", () => {
  it("accept each source, and several", () => {
    const config = readConfig({ ...VAULT, ...TOKEN, IDENTITY_MASTER_KEY_SOURCE: "vault" });
    expect(config.secrets.masterKeySource).toBe("vault");
    expect(readConfig({}).secrets.masterKeySource).toBe("file");
    for (const url of ["http://127.0.0.1:8100", "http://localhost:8100", "http://[::1]:8100"])
      expect(readConfig({ ...VAULT, IDENTITY_VAULT_URL: url }).vault.url).toBe(url);
  });

  it.each([
    [
      { IDENTITY_MASTER_KEY_SOURCE: "hsm" },
      'IDENTITY_MASTER_KEY_SOURCE: "hsm" is not one of file, vault, pkcs11',
    ],
    [
      { IDENTITY_MASTER_KEY_SOURCE: "vault" },
      'IDENTITY_VAULT_URL: is missing: IDENTITY_MASTER_KEY_SOURCE is "vault"',
    ],
    [
      { IDENTITY_MASTER_KEY_SOURCE: "pkcs11" },
      'IDENTITY_PKCS11_MODULE: is missing: IDENTITY_MASTER_KEY_SOURCE is "pkcs11"',
    ],
    [
      { ...VAULT, IDENTITY_MASTER_KEY_SOURCE: "vault", IDENTITY_MASTER_KEY: "secret" },
      'IDENTITY_MASTER_KEY: is set, but IDENTITY_MASTER_KEY_SOURCE is "vault", which accepts no plain key',
    ],
    [
      { IDENTITY_VAULT_URL: "https://vault.example.org" },
      'IDENTITY_VAULT_TOKEN_FILE: is missing: IDENTITY_VAULT_AUTH is "token"',
    ],
    [
      { ...VAULT, IDENTITY_VAULT_AUTH: "approle" },
      'IDENTITY_VAULT_ROLE: is missing: IDENTITY_VAULT_AUTH is "approle"',
    ],
    [
      { ...VAULT, IDENTITY_VAULT_AUTH: "approle", IDENTITY_VAULT_ROLE: "role" },
      'IDENTITY_VAULT_SECRET_ID_FILE: is missing: IDENTITY_VAULT_AUTH is "approle"',
    ],
    [
      { ...VAULT, IDENTITY_VAULT_URL: "http://vault.example.org" },
      'IDENTITY_VAULT_URL: "http://vault.example.org" is not a URL that begins with https://, or with http:// on this machine (127.0.0.1, ::1 or localhost), without user, query and fragment',
    ],
    [
      { ...VAULT, IDENTITY_VAULT_KEY: "../sys" },
      'IDENTITY_VAULT_KEY: "../sys" is not the name of a key: letters, digits, _, . and -',
    ],
    [
      { ...VAULT, IDENTITY_VAULT_TRANSIT_PATH: "/transit/" },
      'IDENTITY_VAULT_TRANSIT_PATH: "/transit/" is not a path without slashes at its ends, such as transit',
    ],
    [
      { ...TOKEN, IDENTITY_PKCS11_SLOT: "0" },
      "IDENTITY_PKCS11_TOKEN: is set twice: IDENTITY_PKCS11_MODULE requires it or IDENTITY_PKCS11_SLOT, one of both",
    ],
    [
      { ...TOKEN, IDENTITY_PKCS11_PIN: "" },
      "IDENTITY_PKCS11_PIN: is missing: IDENTITY_PKCS11_MODULE requires it or IDENTITY_PKCS11_PIN_FILE, one of both",
    ],
  ])("refuse %o", (env, message) => {
    expect(() => readConfig(env as Record<string, string>)).toThrow(message);
  });
});

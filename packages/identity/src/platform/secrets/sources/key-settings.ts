/** The settings of all sources of the master key, and what they demand of each other. */
import { dataFolder } from "../../database/database-settings.js";
import { oneOf, text, type Options, type ValuesOf } from "../../option-parsers.js";
import { faultOfPkcs11, PKCS11_OPTIONS, type Pkcs11Settings } from "./pkcs11/pkcs11-options.js";
import { faultOfVault, VAULT_OPTIONS, type VaultSettings } from "./vault/vault-options.js";

export const MASTER_KEY_OPTIONS = {
  masterKey: {
    name: "IDENTITY_MASTER_KEY",
    parser: text("a key in base64"),
    help: "the master key, which seals all secrets: 32 bytes in base64; by default read from the file",
    isSecret: true,
  },
  masterKeyFile: {
    name: "IDENTITY_MASTER_KEY_FILE",
    parser: text("the path of a file"),
    help: "file of the master key; created on first start",
    standard: (env) => `${dataFolder(env)}/master.key`,
  },
  masterKeySource: {
    name: "IDENTITY_MASTER_KEY_SOURCE",
    parser: oneOf("file", "vault", "pkcs11"),
    help: "where new master keys are kept: file (or IDENTITY_MASTER_KEY), or wrapped by vault or pkcs11, which accept no plain key",
    standard: "file",
  },
} satisfies Options;

export interface MasterKeySettings {
  readonly secrets: ValuesOf<typeof MASTER_KEY_OPTIONS>;
  readonly vault: VaultSettings;
  readonly pkcs11: Pkcs11Settings;
}

/** A setting that contradicts others, or lacks them. */
export function faultOfKeySettings({ secrets, vault, pkcs11 }: MasterKeySettings) {
  const { masterKey, masterKeySource: source } = secrets;
  const { masterKeySource, masterKey: plain } = MASTER_KEY_OPTIONS;
  if (source !== "file" && masterKey !== undefined)
    return {
      option: plain.name,
      fault: `is set, but ${masterKeySource.name} is "${source}", which accepts no plain key`,
    };
  const required = { file: undefined, vault: VAULT_OPTIONS.url, pkcs11: PKCS11_OPTIONS.module }[source];
  const isConfigured = { file: true, vault: vault.url !== undefined, pkcs11: pkcs11.module !== undefined }[
    source
  ];
  if (!isConfigured)
    return { option: required?.name ?? "", fault: `is missing: ${masterKeySource.name} is "${source}"` };
  return faultOfVault(vault) ?? faultOfPkcs11(pkcs11);
}

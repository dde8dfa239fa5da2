/** Settings of a PKCS#11 token, such as an HSM, whose AES key may wrap the master key. */
import { text, textLike, wholeNumber, type Options, type ValuesOf } from "../../../option-parsers.js";
import { WRAPPING_KEY_NAME } from "../key-wrapper.js";

export const PKCS11_OPTIONS = {
  module: {
    name: "IDENTITY_PKCS11_MODULE",
    parser: text("the path of a file"),
    help: "PKCS#11 module of a token or HSM, such as /usr/lib/softhsm/libsofthsm2.so; requires the npm package koffi",
  },
  tokenLabel: {
    name: "IDENTITY_PKCS11_TOKEN",
    parser: textLike(/^.{1,32}$/, "a label of up to 32 characters"),
    help: "label of the token",
  },
  slot: {
    name: "IDENTITY_PKCS11_SLOT",
    parser: wholeNumber({ from: 0, to: 4_294_967_295 }),
    help: "number of the token's slot, instead of its label",
  },
  key: {
    name: "IDENTITY_PKCS11_KEY",
    parser: textLike(WRAPPING_KEY_NAME, "the label of a key: letters, digits, _, . and -"),
    help: "label of the AES key that wraps new master keys",
    standard: "hamkit-identity",
  },
  pin: {
    name: "IDENTITY_PKCS11_PIN",
    parser: text("a PIN"),
    help: "the token's user PIN",
    isSecret: true,
  },
  pinFile: {
    name: "IDENTITY_PKCS11_PIN_FILE",
    parser: text("the path of a file"),
    help: "file of the PIN, instead of a variable: read at each login",
  },
} satisfies Options;

export type Pkcs11Settings = ValuesOf<typeof PKCS11_OPTIONS>;

/** What else a module needs. @returns The setting with a fault. */
export function faultOfPkcs11({ module, tokenLabel, slot, pin, pinFile }: Pkcs11Settings) {
  if (module === undefined) return undefined;
  const options = PKCS11_OPTIONS;
  const oneOfTwo = (first: unknown, second: unknown, names: readonly { readonly name: string }[]) => {
    const [one, other] = names.map(({ name }) => name);
    if ((first === undefined) !== (second === undefined)) return undefined;
    const state = first === undefined ? "is missing" : "is set twice";
    return {
      option: one ?? "",
      fault: `${state}: ${options.module.name} requires it or ${other}, one of both`,
    };
  };
  return (
    oneOfTwo(tokenLabel, slot, [options.tokenLabel, options.slot]) ??
    oneOfTwo(pin, pinFile, [options.pin, options.pinFile])
  );
}

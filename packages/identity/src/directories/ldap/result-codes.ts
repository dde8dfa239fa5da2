/** What a directory's refusal means, for operators. */
import type { ResultCodeError } from "ldapts";

/** Active Directory's reasons of a rejected bind, in the text of its error: `AcceptSecurityContext error, data 533`. */
const AD_REASONS: Readonly<Record<string, string>> = {
  "525": "user not found",
  "52e": "wrong password",
  "530": "not permitted to log on at this time",
  "531": "not permitted to log on from this computer",
  "532": "password expired",
  "533": "account disabled",
  "568": "too many context ids",
  "701": "account expired",
  "773": "user must change the password first",
  "775": "account locked",
};

/** The code and text of a directory's error, with the meaning of Active Directory's data codes. */
export function explainRefusal({ code, message, constructor }: ResultCodeError): string {
  const name = constructor.name.replace(/Error$/, "");
  const data = /\bdata ([0-9a-f]{3}),/i.exec(message)?.[1]?.toLowerCase();
  const meaning = data === undefined ? undefined : AD_REASONS[data];
  return `${name} (${code})${meaning === undefined ? "" : `, ${meaning}`}: ${message.replaceAll(/\s*Code: 0x[0-9a-f]+$/g, "")}`;
}

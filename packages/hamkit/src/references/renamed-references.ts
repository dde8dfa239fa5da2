/** References of parks in the form before March 2024, when prefixes of callsigns became country codes of ISO 3166. */

/**
 * Countries whose prefix differs from their code. No list of renamed references was published; the numbers stayed.
 *
 * @see https://github.com/magicbug/Cloudlog/issues/3069
 */
const CODES: Readonly<Record<string, string>> = {
  "3A": "MC",
  "4X": "IL",
  "5B": "CY",
  "9A": "HR",
  BV: "TW",
  BY: "CN",
  CE: "CL",
  CT: "PT",
  DA: "DE",
  DL: "DE",
  DU: "PH",
  EA: "ES",
  EI: "IE",
  F: "FR",
  G: "GB",
  GD: "IM",
  GJ: "JE",
  GU: "GG",
  HA: "HU",
  HB: "CH",
  HB0: "LI",
  HL: "KR",
  HS: "TH",
  I: "IT",
  JA: "JP",
  K: "US",
  LA: "NO",
  LU: "AR",
  LX: "LU",
  LY: "LT",
  LZ: "BG",
  OE: "AT",
  OH: "FI",
  OK: "CZ",
  OM: "SK",
  ON: "BE",
  OZ: "DK",
  PA: "NL",
  PY: "BR",
  S5: "SI",
  SM: "SE",
  SP: "PL",
  SV: "GR",
  TA: "TR",
  TF: "IS",
  UR: "UA",
  VE: "CA",
  VK: "AU",
  VU: "IN",
  XE: "MX",
  YB: "ID",
  YL: "LV",
  YO: "RO",
  ZL: "NZ",
  ZS: "ZA",
};

/** Those that are the code of another country today: VE was Canada, and is Venezuela. */
const REUSED: ReadonlySet<string> = /* @__PURE__ */ new Set(
  "BV BY GD GU LA LU LY OM PA PY SM SV TF VE VU".split(" "),
);
const RENAMING_DAY = 20_240_301;

/**
 * The present form of a reference in a log.
 *
 * @param day The UTC day of the contact as a number, 20240630; 0 if it is not known.
 */
export function presentReference(reference: string, day: number): string {
  const isBefore = day > 0 && day < RENAMING_DAY;
  if (!isBefore && REUSED.has(reference.split("-", 1)[0] ?? "")) return reference;
  return renamedReference(reference) ?? reference;
}

/** The present form of a reference; `undefined` if its prefix is not known. */
export function renamedReference(reference: string): string | undefined {
  const [, prefix = "", number] = /^([A-Z0-9]{1,4})-(\d{4,5})$/.exec(reference) ?? [];
  return Object.hasOwn(CODES, prefix) ? `${CODES[prefix]}-${number}` : undefined;
}

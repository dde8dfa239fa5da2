/** Names of satellites in logs: SAT_NAME has LoTW's, which refuses others. */

/** LoTW's names: the list of TQSL's configuration (trustedqsl 2.6.5), and those that it added later. */
const LOTW_NAMES =
  "AISAT1 AO-10 AO-109 AO-13 AO-16 AO-21 AO-27 AO-3 AO-4 AO-40 AO-51 AO-6 AO-7 AO-73 AO-8 AO-85 AO-91 AO-92 ARISS Arsene BO-102 " +
  "BY70-1 CAS-2T CAS-3H CAS-4A CAS-4B DO-64 EO-79 EO-88 FO-12 FO-20 FO-29 FO-99 FS-3 HO-107 HO-113 HO-68 IO-86 JO-97 KEDR LO-19 " +
  "LO-78 LO-87 LO-90 MAYA-3 MAYA-4 MIREX MO-112 NO-103 NO-104 NO-44 NO-83 NO-84 PO-101 QO-100 RS-1 RS-10 RS-11 RS-12 RS-13 RS-15 " +
  "RS-2 RS-44 RS-5 RS-6 RS-7 RS-8 SAREX SO-35 SO-41 SO-50 SO-67 TAURUS TO-108 UKUBE1 UO-14 UVSQ VO-52 XW-2A XW-2B XW-2C XW-2D " +
  "XW-2E XW-2F";

/** What others call them, in upper case. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ISS: "ARISS",
  ZARYA: "ARISS",
  "IO-117": "GREENCUBE",
  "ES'HAIL-2": "QO-100",
  "ESHAIL-2": "QO-100",
  P4A: "QO-100",
  "FUNCUBE-1": "AO-73",
  "FOX-1A": "AO-85",
  "FOX-1B": "AO-91",
  RADFXSAT: "AO-91",
  "FOX-1D": "AO-92",
  "JAS-2": "FO-29",
  NEXUS: "FO-99",
  "LAPAN-A2": "IO-86",
  JY1SAT: "JO-97",
  "SAUDISAT-1C": "SO-50",
  "DIWATA-2": "PO-101",
  "DIWATA-2B": "PO-101",
  "DOSAAF-85": "RS-44",
  "CAS-6": "TO-108",
  "CAS-3A": "XW-2A",
  "CAS-3B": "XW-2B",
  "CAS-3C": "XW-2C",
  "CAS-3D": "XW-2D",
  "CAS-3E": "XW-2E",
  "CAS-3F": "XW-2F",
  "NAYIF-1": "EO-88",
  "PSAT-2": "NO-104",
  PSAT2: "NO-104",
  "FALCONSAT-3": "FS-3",
  "LILACSAT-2": "CAS-3H",
  "AISAT-1": "AISAT1",
};

const BY_NAME: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ...LOTW_NAMES.split(" ").map((name) => [name.toUpperCase(), name] as const),
  ["GREENCUBE", "GREENCUBE"] as const,
  ...Object.entries(OTHER_NAMES),
]);

/**
 * The name that LoTW has for a satellite, for SAT_NAME.
 *
 * @param name As in elements or logs, in any case: `ISS (ZARYA)`, `AO-07`, `SAUDISAT 1C (SO-50)`.
 * @returns `undefined` for a name that is none of LoTW's nor another of one.
 * @example
 * lotwSatelliteName("ISS (ZARYA)"); // => "ARISS"
 * lotwSatelliteName("SAUDISAT 1C (SO-50)"); // => "SO-50"
 */
export function lotwSatelliteName(name: string): string | undefined {
  const parts = [name, ...name.split(/[()[\]]/)];
  for (const part of parts) {
    const text = part
      .trim()
      .toUpperCase()
      .replaceAll(/[\s_]+/g, "-")
      .replaceAll(/-0+(?=\d)/g, "-");
    const found = BY_NAME.get(text) ?? BY_NAME.get(text.replace(/^([A-Z]{2})(\d+)$/, "$1-$2"));
    if (found !== undefined) return found;
  }
  return undefined;
}

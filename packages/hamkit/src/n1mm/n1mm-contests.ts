/** Contests by N1MM's names. */

/** Contests of ADIF whose name N1MM writes without hyphens. */
const CODES =
  "ALL-ASIAN-DX-CW ALL-ASIAN-DX-PHONE ARI-DX ARRL-10 ARRL-160 ARRL-222 ARRL-DIGI ARRL-DX-CW ARRL-DX-SSB ARRL-RTTY ARRL-VHF-JAN ARRL-VHF-JUN ARRL-VHF-SEP " +
  "CQ-160-CW CQ-160-SSB CQ-VHF CQ-WPX-CW CQ-WPX-RTTY CQ-WPX-SSB CQ-WW-CW CQ-WW-RTTY CQ-WW-SSB EU-HF HA-DX IARU-HF JIDX-CW JIDX-SSB K1USN-SST NAQP-CW " +
  "NAQP-RTTY NAQP-SSB OK-OM-DX RSGB-IOTA SAC-CW SAC-SSB UBA-DX-CW UBA-DX-SSB";

const BY_NAME: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ...CODES.split(" ").map((code) => [code.replaceAll("-", ""), code] as const),
  ["CWOPS", "CWOPS-CWT"],
  ["FD", "ARRL-FIELD-DAY"],
]);

/**
 * The CONTEST_ID of ADIF of a contest of N1MM.
 *
 * @returns `undefined` for others, and for `DX`, which is no contest.
 */
export function contestOfN1mm(name: string): string | undefined {
  return BY_NAME.get(name.toUpperCase().replaceAll("-", ""));
}

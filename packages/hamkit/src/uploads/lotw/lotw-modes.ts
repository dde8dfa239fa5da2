/** The modes that LoTW knows, from those of ADIF: the table of TQSL's configuration 11.20 (trustedqsl 2.6.5). */
import { groupedMode } from "../../awards/contacts/mode-group.js";

/** LoTW's modes that have the name of a mode or submode of ADIF, in upper case. */
const SAME =
  "AM ARDOP ATV C4FM CHIP CONTESTI CW DIGITALVOICE DOMINO DSTAR FAX FM FSK31 FSK441 FST4 FT4 FT8 GTOR HELL HFSK ISCAT JT4 JT65 JT6M " +
  "JT9 MFSK16 MFSK8 MSK144 MT63 OLIVIA OPERA PAX PSK10 PSK125 PSK2K PSK31 PSK63 PSK63F PSKFEC31 Q15 Q65 QRA64 ROS RTTY RTTYM SSB " +
  "SSTV T10 THOR VOI WINMOR WSPR";

/** Others: LoTW's mode, and modes and submodes of ADIF. */
const OTHERS: readonly (readonly [lotw: string, names: string])[] = [
  ["AMTOR", "AMTORFEC,TOR"],
  ["CLOVER", "CLO"],
  [
    "DATA",
    "FSQCALL,JS8,MFSK11,MFSK128,MFSK22,MFSK31,MFSK32,MFSK4,MFSK64,MFSK,PSK1000,PSK250,PSK500,QPSK250,QPSK500,SIM31,PSK,V4",
  ],
  ["PACKET", "PKT"],
  ["PACTOR", "PAC,PAC2,PAC3,PAC4"],
  ["PSK125", "BPSK125,QPSK125"],
  ["PSK31", "BPSK31,QPSK31"],
  ["PSK63", "BPSK63,QPSK63"],
  ["PSKAM", "PSKAM10,PSKAM31,PSKAM50"],
  ["RTTY", "ASCI"],
  ["THROB", "THRB,THRBX"],
  // groups, as LoTW's own reports have them
  ["DATA", "DATA"],
  ["PHONE", "PHONE"],
  ["IMAGE", "IMAGE"],
];

const BY_NAME: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ...SAME.split(" ").map((name) => [name, name] as const),
  ...OTHERS.flatMap(([lotw, names]) => names.split(",").map((name) => [name, lotw] as const)),
]);

const GROUPS: Readonly<Record<string, string>> = { phone: "PHONE", cw: "CW", data: "DATA", image: "IMAGE" };

/**
 * LoTW's mode of a contact: that of the submode, else of the mode, else its group.
 *
 * @returns `undefined` without a mode.
 */
export function lotwMode(mode: string | undefined, submode: string | undefined): string | undefined {
  const [main, sub] = [mode, submode].map((name) => (name ?? "").trim().toUpperCase());
  return BY_NAME.get(sub ?? "") ?? BY_NAME.get(main ?? "") ?? GROUPS[groupedMode(mode, submode).group];
}

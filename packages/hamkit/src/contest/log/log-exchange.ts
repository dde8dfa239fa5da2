/** The words of exchanges in the fields of ADIF, and a template of Cabrillo's columns for them. */
import { fieldValue, type Qso } from "../../logs/log.js";
import type { ContestRule } from "../rules/contest-rule.js";

/** Fields of ADIF by property, of the other and of the own station; the first that has a value. */
const FIELDS: Readonly<Record<string, readonly [received: string, sent: string]>> = {
  rst: ["RST_RCVD", "RST_SENT"],
  serial: ["SRX", "STX"],
  cq_zone: ["CQZ", "MY_CQ_ZONE"],
  itu_zone: ["ITUZ", "MY_ITU_ZONE"],
  state_province: ["STATE", "MY_STATE"],
  section: ["ARRL_SECT", "MY_ARRL_SECT"],
  iota: ["IOTA", "MY_IOTA"],
  locator: ["GRIDSQUARE", "MY_GRIDSQUARE"],
  name: ["NAME", "MY_NAME"],
  age: ["AGE", ""],
  power: ["RX_PWR", "TX_PWR"],
  class: ["CLASS", ""],
  continent: ["CONT", ""],
};

/**
 * The words that a QSO of ADIF received: the report, then what is in SRX_STRING, or else the fields of the properties.
 *
 * @param fields The properties that each word may be.
 */
export function exchangeOf(qso: Qso, fields: readonly (readonly string[])[]): readonly string[] {
  const hasReport = fields[0]?.[0] === "rst";
  const report = hasReport ? [fieldValue(qso, "RST_RCVD") ?? "599"] : [];
  const rest = hasReport ? fields.slice(1) : fields;
  const text = fieldValue(qso, "SRX_STRING");
  const serial = fieldValue(qso, "SRX");
  const words = text?.split(/\s+/) ?? [];
  if (words.length >= rest.length) return [...report, ...words];
  // The serial number has a field of its own beside the other words.
  const left = [...words];
  return [
    ...report,
    ...rest.map((names) => {
      const own = names.map((name) => (Object.hasOwn(FIELDS, name) ? FIELDS[name]?.[0] : undefined));
      const value = own.map((field) => field && fieldValue(qso, field)).find((each) => each !== undefined);
      if (names.includes("serial") && serial !== undefined) return serial;
      return left.shift() ?? value ?? serial ?? "";
    }),
  ];
}

/**
 * The columns of a contest for `writeLog`: what stations send by its rules, as fields of ADIF.
 *
 * @returns A template such as `RST_SENT STX_STRING|STX|MY_CQ_ZONE CALL RST_RCVD SRX_STRING|SRX|CQZ`. Exchanges of several words
 *   are taken whole from STX_STRING and SRX_STRING.
 * @example
 * const rule = CONTEST_RULES.find(({ id }) => id === "CQ-WW")!;
 * contestColumns(rule); // => "RST_SENT STX_STRING|STX|MY_CQ_ZONE CALL RST_RCVD SRX_STRING|SRX|CQZ"
 */
export function contestColumns({ exchange }: ContestRule): string {
  const hasReport = exchange.every(({ fields }) => fields[0]?.[0] === "rst");
  const others = exchange.map(({ fields }) => (hasReport ? fields.slice(1) : fields));
  const isOneWord = others.every((fields) => fields.length <= 1);
  const names = isOneWord ? Array.from(new Set(others.flat(2))) : [];
  const side = (index: 0 | 1, [report, text, serial]: readonly [string, string, string]) => {
    const fields = names.flatMap((name) =>
      Object.hasOwn(FIELDS, name) ? (FIELDS[name]?.[index] ?? []) : [],
    );
    const sources = new Set([
      text,
      ...(isOneWord ? [serial] : []),
      ...fields.filter((field) => field !== ""),
    ]);
    return [...(hasReport ? [report] : []), Array.from(sources).join("|")];
  };
  const sent = side(1, ["RST_SENT", "STX_STRING", "STX"]);
  const received = side(0, ["RST_RCVD", "SRX_STRING", "SRX"]);
  return [...sent, "CALL", ...received].join(" ");
}

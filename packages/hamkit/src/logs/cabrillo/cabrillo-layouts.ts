/** The columns of exchanges in Cabrillo files, by contest: data that anyone can add to. */
import { ValueError } from "../../errors.js";
import { fieldValue, type Qso } from "../log.js";

/** Where the text of a column may come from. */
type Source = { readonly field: string; readonly length: number } | { readonly literal: string };

/** A column: the first source with a value applies. */
export interface ExchangeColumn {
  readonly sources: readonly Source[];
}

/** The columns between the own call and the other call, and after the other call. */
export interface ExchangeLayout {
  readonly sent: readonly ExchangeColumn[];
  readonly received: readonly ExchangeColumn[];
}

export const NO_COLUMNS: ExchangeLayout = { sent: [], received: [] };

/** Whether a QSO has a value for each column. */
export function isComplete({ sent, received }: ExchangeLayout, qso: Qso): boolean {
  return [...sent, ...received].every((column) => columnText(column, qso) !== undefined);
}

const EXPECTED =
  "names of ADIF fields in the order of the line, with CALL between the sent and the received ones, such as " +
  '"RST_SENT STX CALL RST_RCVD SRX"';

/**
 * Parses a template of columns, such as `RST_SENT STX_STRING|STX CALL RST_RCVD SRX_STRING|SRX`. `|` separates
 * alternatives; `GRIDSQUARE:4` is cut to four characters; `'DX'` is literal text.
 *
 * @throws {ValueError} The template has another form, or not one CALL.
 */
export function parseLayout(template: string): ExchangeLayout {
  const words = template.trim().split(/\s+/);
  const middle = words.indexOf("CALL");
  if (middle < 0 || words.lastIndexOf("CALL") !== middle) throw invalid(template);
  const columns = words.map((word) => ({
    sources: word.split("|").map((part) => columnSource(part, template)),
  }));
  return { sent: columns.slice(0, middle), received: columns.slice(middle + 1) };
}

function columnSource(text: string, template: string): Source {
  const literal = /^'([^'|\s]+)'$/.exec(text)?.[1];
  if (literal !== undefined) return { literal };
  const [, field, length] = /^([A-Z][A-Z\d_]*)(?::([1-9]\d?))?$/.exec(text) ?? [];
  if (field === undefined) throw invalid(template);
  return { field, length: length === undefined ? Infinity : Number(length) };
}

function invalid(template: string): ValueError {
  return new ValueError({ argument: "columns", value: template, expected: EXPECTED });
}

/** The text of a column with blanks collapsed; `undefined` if the QSO has none of its fields. */
export function columnText({ sources }: ExchangeColumn, qso: Qso): string | undefined {
  for (const source of sources) {
    if ("literal" in source) return source.literal;
    const value = fieldValue(qso, source.field);
    if (value !== undefined) return value.slice(0, source.length).replaceAll(/\s+/g, " ");
  }
  return undefined;
}

/** "STX_STRING or STX": the fields that a column accepts. */
export function columnName({ sources }: ExchangeColumn): string {
  return sources.map((source) => ("literal" in source ? `'${source.literal}'` : source.field)).join(" or ");
}

/** A report and one more word, which may be a serial number. */
const SERIAL = ["RST_SENT STX|STX_STRING CALL RST_RCVD SRX|SRX_STRING"];
const STATE = ["RST_SENT STX_STRING|STX|MY_STATE CALL RST_RCVD SRX_STRING|SRX|STATE"];
const SQUARE = ["STX_STRING|MY_GRIDSQUARE:4 CALL SRX_STRING|GRIDSQUARE:4"];
const WORDS = "STX_STRING CALL SRX_STRING";
const REPORT_AND_WORDS = "RST_SENT STX_STRING CALL RST_RCVD SRX_STRING";

/**
 * Contests and the columns of their exchanges, by the names that ADIF and Cabrillo share. Of several templates the first
 * applies whose columns all have a value.
 *
 * The zone of a station in a database may differ from the one that it sent: exchange fields come first.
 */
const CONTESTS: readonly (readonly [names: RegExp, templates: readonly string[]])[] = [
  [/^CQ-WW-(?:CW|SSB)$/, ["RST_SENT STX_STRING|STX|MY_CQ_ZONE CALL RST_RCVD SRX_STRING|SRX|CQZ"]],
  [
    /^CQ-WW-RTTY$/,
    [REPORT_AND_WORDS, "RST_SENT STX|MY_CQ_ZONE MY_STATE|'DX' CALL RST_RCVD SRX|CQZ STATE|'DX'"],
  ],
  [/^IARU-HF$/, ["RST_SENT STX_STRING|STX|MY_ITU_ZONE CALL RST_RCVD SRX_STRING|SRX|ITUZ"]],
  [
    /^ARRL-DX-(?:CW|SSB)$/,
    ["RST_SENT STX_STRING|STX|MY_STATE|TX_PWR CALL RST_RCVD SRX_STRING|SRX|RX_PWR|STATE"],
  ],
  [/^(?:ARRL-10|ARRL-RTTY|CQ-160-(?:CW|SSB))$/, STATE],
  [/^ARRL-160$/, ["RST_SENT STX_STRING|MY_ARRL_SECT CALL RST_RCVD SRX_STRING|ARRL_SECT"]],
  [
    /^ARRL-SS-(?:CW|SSB)$/,
    ["STX STX_STRING CALL SRX SRX_STRING", WORDS, "STX STX_STRING CALL SRX PRECEDENCE CHECK ARRL_SECT"],
  ],
  [/^(?:ARRL-FIELD-DAY|WFD|WINTER-FIELD-DAY)$/, [WORDS, "STX_STRING CALL CLASS ARRL_SECT"]],
  [/^(?:ARRL-VHF-(?:JAN|JUN|SEP)|ARRL-UHF-AUG|ARRL-222|CQ-VHF)$/, SQUARE],
  [/^NAQP-(?:CW|SSB|RTTY)$/, [WORDS, "STX_STRING CALL NAME STATE|'DX'"]],
  [
    /^NA-SPRINT-(?:CW|SSB|RTTY)$/,
    ["STX STX_STRING CALL SRX SRX_STRING", WORDS, "STX STX_STRING CALL SRX NAME STATE"],
  ],
  [
    /^RSGB-IOTA$/,
    ["RST_SENT STX STX_STRING|MY_IOTA|'------' CALL RST_RCVD SRX SRX_STRING|IOTA|'------'", REPORT_AND_WORDS],
  ],
  [/^(?:CWOPS-CWT|CW-OPS|CWT)$/, ["MY_NAME STX_STRING|STX|MY_STATE CALL NAME SRX_STRING|SRX|STATE", WORDS]],
  [/^(?:CWOPS-(?:CW-)?OPEN|CW-OPEN)$/, ["STX STX_STRING|MY_NAME CALL SRX NAME|SRX_STRING", WORDS]],
  [/^K1USN-(?:SST|SSO)$/, ["MY_NAME STX_STRING|MY_STATE CALL NAME SRX_STRING|STATE", WORDS]],
  [
    /^(?:JIDX-(?:CW|SSB|PH)|AADX-(?:CW|SSB|PH)|ALL-ASIAN-DX-(?:CW|PHONE))$/,
    ["RST_SENT STX_STRING|STX|MY_CQ_ZONE CALL RST_RCVD SRX_STRING|SRX|AGE|CQZ"],
  ],
  // Polish stations send the letter of their province.
  [/^(?:SP-?DX(?:-?CONTEST|C)?)$/, ["RST_SENT STX_STRING|STX CALL RST_RCVD SRX_STRING|SRX|STATE"]],
  // These number their contacts; nearly all other parties send reports.
  [/^(?:CA|PA)-QSO-PARTY$/, ["STX STX_STRING|MY_STATE CALL SRX SRX_STRING|STATE", WORDS]],
  [
    /^(?:[A-Z]{2,11}-QSO-PARTY|7QP|NEQP|IL QSO PARTY|VIRGINIA QSO PARTY)$/,
    [REPORT_AND_WORDS, "RST_SENT STX_STRING|MY_CNTY|MY_STATE CALL RST_RCVD SRX_STRING|STATE|'DX'"],
  ],
  [/^(?:CQ-WPX-(?:CW|SSB|RTTY)|DARC-WAEDC-(?:CW|SSB|RTTY)|DARC-WAG|DL-DX-RTTY)$/, SERIAL],
  [/^(?:RDXC|PACC|SAC-(?:CW|SSB)|OCEANIA-DX-(?:CW|SSB)|REF-(?:CW|SSB)|HA-DX|EU-HF|IARU-FIELD-DAY)$/, SERIAL],
];

/** The layouts of a contest in order of preference; `undefined` if it is not known. */
export function layoutsOf(contest: string): readonly ExchangeLayout[] | undefined {
  const name = contest.toUpperCase();
  return CONTESTS.find(([names]) => names.test(name))?.[1].map(parseLayout);
}

/** What stations exchange in most contests. All QSOs of a log have to fit. */
const COMMON = [
  "RST_SENT STX STX_STRING CALL RST_RCVD SRX SRX_STRING",
  REPORT_AND_WORDS,
  "RST_SENT STX CALL RST_RCVD SRX",
  "STX STX_STRING CALL SRX SRX_STRING",
  WORDS,
  "STX CALL SRX",
  "RST_SENT MY_CQ_ZONE CALL RST_RCVD CQZ",
  "RST_SENT MY_STATE CALL RST_RCVD STATE",
  "RST_SENT MY_GRIDSQUARE:4 CALL RST_RCVD GRIDSQUARE:4",
  "MY_GRIDSQUARE:4 CALL GRIDSQUARE:4",
];

/** A layout of a contest that is not known: the first common one that all QSOs fit. */
export function guessedLayout(
  qsos: readonly Qso[],
): { readonly columns: string; readonly layout: ExchangeLayout } | undefined {
  for (const columns of COMMON) {
    const layout = parseLayout(columns);
    if (qsos.every((qso) => isComplete(layout, qso) && !repeatsNumber(columns, qso)))
      return { columns, layout };
  }
  return undefined;
}

/** Programs write a number that is the only word of an exchange into both fields. */
function repeatsNumber(columns: string, qso: Qso): boolean {
  if (!columns.includes("STX STX_STRING")) return false;
  const number = fieldValue(qso, "SRX");
  const words = fieldValue(qso, "SRX_STRING")?.split(/\s+/) ?? [];
  return words.some((word) => Number(word) === Number(number));
}

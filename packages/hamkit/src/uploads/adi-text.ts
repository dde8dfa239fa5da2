/** Records as services read them. */
import type { AdifRecord } from "../adif/parse-adif.js";

/** A record in ADI without a header; lengths count bytes. Fields of programs are left out, as what a log notes of services. */
export function recordAsAdi(record: AdifRecord): string {
  const encoder = new TextEncoder();
  let text = "";
  for (const [name, value] of Object.entries(record)) {
    if (value === "" || !/^[A-Z][A-Z\d_]*$/.test(name) || PRIVATE.test(name)) continue;
    text += `<${name}:${encoder.encode(value).length}>${value}`;
  }
  return `${text}<EOR>`;
}

/** A file in ADI, with a header. */
export function recordsAsAdi(records: readonly AdifRecord[]): Blob {
  // In one piece: a Blob of many takes seconds to read.
  return new Blob([`${HEADER}${records.map(recordAsAdi).join("\n")}\n`]);
}

const HEADER = "hamkit\n<ADIF_VER:5>3.1.7<PROGRAMID:6>hamkit<EOH>\n";

/** Notes are for the operator alone (ADIF, NOTES). */
const PRIVATE =
  /^(?:APP_|NOTES|\w+_(?:UPLOAD|DOWNLOAD)_(?:STATUS|DATE)$|(?:LOTW|EQSL)_QSL|QSL_(?:RCVD|SENT)|QSLRDATE|QSLSDATE|CREDIT_)/;

/** What stations sent in earlier contests. */
import { parseQsoLine, LINE_FIELD } from "../../logs/cabrillo/cabrillo-qso.js";
import { fieldValue, type Log } from "../../logs/log.js";

/** Exchanges by call. */
export interface ExchangeHistory {
  /** Adds the exchanges of a log; later ones replace earlier ones. */
  addLog(log: Log): void;
  /** Adds an exchange, without the report. */
  add(call: string, words: readonly string[]): void;
  /** The last exchange of a call without the report; `undefined` for a call without one. */
  find(call: string): readonly string[] | undefined;
  /** Number of calls. */
  readonly calls: number;
}

/** Calls that are kept. */
const MAX_CALLS = 1_000_000;

/**
 * Remembers exchanges of logs of one contest, for proposals: a zone, a state or a name is the same as last year; a serial number
 * is not, and is left out where it is a field of its own.
 *
 * @example
 * const history = createExchangeHistory();
 * history.addLog(await readLog("START-OF-LOG: 3.0\nQSO: 14025 CW 2023-11-25 0001 DH1TW 599 14 W1AW 599 05\nEND-OF-LOG:"));
 * history.find("w1aw"); // => ["05"]
 */
export function createExchangeHistory(): ExchangeHistory {
  const exchanges = new Map<string, readonly string[]>();
  const add = (text: string, words: readonly string[]) => {
    const call = text.trim().toUpperCase();
    if (call === "" || words.length === 0) return;
    if (exchanges.size < MAX_CALLS || exchanges.has(call)) exchanges.set(call, words);
  };
  return {
    addLog({ qsos }) {
      for (const qso of qsos) {
        const line = fieldValue(qso, LINE_FIELD);
        const received = line === undefined ? undefined : parseQsoLine(line)?.received;
        const hasReport = fieldValue(qso, "RST_RCVD") !== undefined;
        const words = received?.slice(hasReport ? 1 : 0) ?? fieldValue(qso, "SRX_STRING")?.split(/\s+/) ?? [];
        add(fieldValue(qso, "CALL") ?? "", words);
      }
    },
    add,
    find: (call) => exchanges.get(call.trim().toUpperCase()),
    get calls() {
      return exchanges.size;
    },
  };
}

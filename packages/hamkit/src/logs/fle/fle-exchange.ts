/** Exchanges of a contest in an FLE log: what was sent is repeated, and consecutive numbers count on. */
import type { FleWords, ReportFault } from "./fle-words.js";

/** What a contest's stations sent and received. */
interface Exchanged {
  readonly number?: string | undefined;
  readonly text?: string | undefined;
  readonly receivedNumber?: string | undefined;
  readonly receivedText?: string | undefined;
}

interface SentExchange {
  /** Applies the words of a line that were sent: numbers, texts, and `++`, `+0`, `-`. */
  readonly apply: (exchanges: FleWords["exchanges"]) => void;
  /** The exchange of a QSO after its line was applied. */
  readonly next: (exchanges: FleWords["exchanges"]) => Exchanged;
}

/** @param isAlwaysCounting Whether each QSO has the next number, until a line has another one. */
export function createSentExchange(isAlwaysCounting: boolean, report: ReportFault): SentExchange {
  let isCounting = isAlwaysCounting;
  let number: string | undefined;
  let text: string | undefined;
  /** Whether the number is that of the next QSO. */
  let isNew = false;
  let isReported = false;

  function apply(exchanges: FleWords["exchanges"]): void {
    const texts: string[] = [];
    for (const { isSent, text: word } of exchanges) {
      if (!isSent) continue;
      if (word === "++") isCounting = true;
      else if (word === "+0") isCounting = false;
      else if (word === "-") number = text = undefined;
      else if (isNumber(word)) [number, isNew] = [word, true];
      else if (word !== "") texts.push(word);
    }
    if (texts.length > 0) text = texts.join(" ");
  }

  function next(exchanges: FleWords["exchanges"]): Exchanged {
    if (exchanges.length === 0 && !isAlwaysCounting) return {};
    if (!isNew && isCounting) number = String(Number(number ?? 0) + 1);
    else if (!isNew && number !== undefined && !isReported) {
      isReported = true;
      const message = `the number ${number} is sent again: consecutive numbers are an option, or ,++ in the log`;
      report("line", message);
    }
    isNew = false;
    const received = exchanges.flatMap((word) => (word.isSent || word.text === "" ? [] : word.text));
    return {
      number,
      text,
      receivedNumber: received.find(isNumber),
      receivedText: received.filter((word) => !isNumber(word)).join(" "),
    };
  }

  return { apply, next };
}

function isNumber(word: string): boolean {
  return /^\d{1,9}$/.test(word);
}

/** The lines of an FLE text without what is not exported: remarks in braces, which may span lines, and lines that begin with `#`. */
import { textLines } from "../contest-log.js";

/** A line that has content, or a fault. */
export interface FleLine {
  /** From 1. */
  readonly number: number;
  /** Without remarks, trimmed. */
  readonly text: string;
  /** Of its braces. */
  readonly faults: readonly LineFault[];
}

interface LineFault {
  readonly line: number;
  readonly message: string;
}

/** A longer line is no line of a log: its words are not read. */
export const MAX_LINE = 4096;

export function* fleLines(text: string): Generator<FleLine> {
  const remarks = createRemarkFilter(text.lastIndexOf("}"));
  let start = 0;
  for (const { number, text: line, ending } of textLines(text)) {
    const content = remarks.without(line, number, start).trim();
    const faults = remarks.takeFaults();
    if (content !== "" || faults.length > 0) yield { number, text: content, faults };
    start += line.length + ending.length;
  }
}

interface RemarkFilter {
  /** @param start Index of the line in the text. */
  readonly without: (line: string, number: number, start: number) => string;
  /** Those of the last line. */
  readonly takeFaults: () => readonly LineFault[];
}

const NO_FAULTS: readonly LineFault[] = [];

/** @param lastClose Index of the last `}` of the text: a remark that begins behind it ends with its line. */
function createRemarkFilter(lastClose: number): RemarkFilter {
  let faults: LineFault[] = [];
  /** Line of the brace that opened the current remark; 0 outside of remarks. */
  let opened = 0;
  let isNested = false;

  function without(line: string, number: number, start: number): string {
    let content = "";
    let at = 0;
    while (at < line.length) {
      if (opened > 0) {
        at = endOfRemark(line, number, at);
        continue;
      }
      if (content === "" && /^\s*#/.test(line.slice(at, at + MAX_LINE))) break;
      const open = line.length - at > MAX_LINE ? -1 : line.indexOf("{", at);
      // Words around a remark stay apart.
      content += `${content === "" ? "" : " "}${line.slice(at, open < 0 ? undefined : open)}`;
      if (open < 0) break;
      at = open + 1;
      if (start + open > lastClose) {
        faults.push({ line: number, message: "a remark has no }, and ends with its line" });
        break;
      }
      opened = number;
      isNested = false;
    }
    return content;
  }

  /** @returns The index behind the remark, or the end of the line. */
  function endOfRemark(line: string, number: number, at: number): number {
    const close = line.indexOf("}", at);
    isNested ||= line.slice(at, close < 0 ? undefined : close).includes("{");
    if (close < 0) return line.length;
    if (isNested && opened < number) {
      const message = `the remark ends in line ${number}, behind another {: a } may be missing`;
      faults.push({ line: opened, message });
    }
    opened = 0;
    return close + 1;
  }

  function takeFaults(): readonly LineFault[] {
    if (faults.length === 0) return NO_FAULTS;
    const taken = faults;
    faults = [];
    return taken;
  }

  return { without, takeFaults };
}

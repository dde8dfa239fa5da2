/**
 * Makes lines of what a telnet server sends: removes its negotiation, joins pieces, and decodes UTF-8 or ISO 8859-1.
 *
 * @see RFC 854 (telnet), RFC 855 (options)
 */

export interface TelnetText {
  /**
   * The lines that a piece completes, without blank ones.
   *
   * @param piece A character for each byte.
   */
  read(piece: string): string[];
  /** The line that is not complete yet: a prompt has no end. */
  readonly rest: string;
  /** Drops it: it was answered, and what follows is another line. */
  clearRest(): void;
}

const IAC = "\u00ff";
/** Commands with an option: WILL, WONT, DO, DONT. */
const WILL = 251;
const DO = 253;
const DONT = 254;
const SUBNEGOTIATION = 250;
const END = 240;

/** Cluster lines have about 80 characters, frames up to 250. A longer line is dropped as a whole. */
const MAX_LINE_LENGTH = 1000;

/**
 * @param answer Sends a refusal of an option that the server asks for: once for each option, so that two sides that refuse each other
 *   come to an end.
 */
export function createTelnetText(answer: (text: string) => void): TelnetText {
  let rest = "";
  let isTooLong = false;
  const withoutCommands = createCommandFilter(answer);
  return {
    get rest() {
      return decodeText(rest);
    },
    clearRest() {
      rest = "";
    },
    read(piece) {
      const text = withoutCommands(piece);
      const lines = (rest + text).split(/[\r\n\0]+/);
      rest = lines.pop() ?? "";
      if (isTooLong && lines.length > 0) {
        lines.shift();
        isTooLong = false;
      }
      if (rest.length > MAX_LINE_LENGTH) isTooLong = true;
      if (isTooLong) rest = "";
      return lines.filter((line) => line !== "" && line.length <= MAX_LINE_LENGTH).map(decodeText);
    },
  };
}

type State = "text" | "command" | "option" | "subnegotiation" | "command in subnegotiation";

/** Removes telnet's commands, whose parts can be in several pieces. */
function createCommandFilter(answer: (text: string) => void): (piece: string) => string {
  let state: State = "text";
  let verb = 0;
  const refused = new Set<string>();
  const takeCommand = (code: number): State => {
    if (code >= WILL && code <= DONT) {
      verb = code;
      return "option";
    }
    return code === SUBNEGOTIATION ? "subnegotiation" : "text";
  };
  const refuse = (option: string) => {
    // DO and DONT are answered with WONT, WILL and WONT with DONT.
    const isAsked = verb === DO || verb === WILL;
    const refusal = String.fromCharCode(verb === DO ? 252 : DONT) + option;
    if (!isAsked || refused.has(refusal)) return;
    refused.add(refusal);
    answer(IAC + refusal);
  };
  return (piece) => {
    if (state === "text" && !piece.includes(IAC)) return piece;
    let text = "";
    for (const character of piece) {
      const code = character.charCodeAt(0);
      switch (state) {
        case "text":
          if (character === IAC) state = "command";
          else text += character;
          break;
        case "command":
          // Twice is the character itself.
          if (character === IAC) text += character;
          state = character === IAC ? "text" : takeCommand(code);
          break;
        case "option":
          refuse(character);
          state = "text";
          break;
        case "subnegotiation":
          if (character === IAC) state = "command in subnegotiation";
          break;
        case "command in subnegotiation":
          state = code === END ? "text" : "subnegotiation";
          break;
      }
    }
    return text;
  };
}

/** UTF-8 where it is valid, else ISO 8859-1. */
function decodeText(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.from(bytes, (character) => character.charCodeAt(0)),
    );
  } catch {
    return bytes;
  }
}

/** The login dialogue of cluster nodes and skimmer servers: answers their prompts, and notices rejections. */
import { IOError, LoginError } from "../../errors.js";

export interface LoginOptions {
  /** Names the node in messages. */
  readonly name: string;
  readonly call: string;
  readonly password: string | undefined;
  /** Lines to send after the login. */
  readonly commands: readonly string[];
  readonly send: (line: string) => void;
  /** Called once: the node accepted the login, and the commands were sent. */
  readonly onDone: () => void;
}

export interface Login {
  readonly isDone: boolean;
  /** A complete line. @throws {LoginError} The node rejects the login. */
  onLine(line: string): void;
  /**
   * The text of a line that has no end yet: prompts have none.
   *
   * @returns Whether it was answered, so that the line ends there.
   * @throws {LoginError} The node rejects the login.
   */
  onRest(text: string): boolean;
  /** The node sent a spot, so it accepted the login. */
  onSpot(): void;
  /** Nothing arrived for a while: some nodes don't prompt. */
  onSilence(): void;
}

const CALL_PROMPT = /(?:login|call ?-?(?:sign)?|user ?-?(?:name|id)?)(?: please)? ?[:?>] ?$/i;
const PASSWORD_PROMPT = /(?:password|passwd|passcode) ?[:?>] ?$/i;
/** `N0CALL de GB7DJK 22-Mar-2026 1201Z dxspider >`, also with the call in brackets. Calls have a digit, unlike DX. */
const NODE_PROMPT =
  /^ {0,10}\(?(?=[A-Z/-]*[0-9])[A-Z0-9/-]{3,20}\)? de (?=[A-Z/-]*[0-9])[A-Z0-9/-]{3,20} [^>]{0,80}> */i;
const REJECTED = /^(?:sorry\b|login (?:incorrect|failed)|access denied|.{0,40}\b(?:invalid|illegal) call)/i;
/** A rejection that ends by itself. */
const TRANSIENT = /already|too many|busy|full|try again/i;

/** Prompts are short: the end of a flood without line ends is enough. */
const MAX_PROMPT_LENGTH = 200;

/** The line without the prompt of a node before it: some nodes send no line end after their prompts. */
export function withoutPrompt(line: string): string {
  return line.includes(">") ? line.replace(NODE_PROMPT, "") : line;
}

export function createLogin({ name, call, password, commands, send, onDone }: LoginOptions): Login {
  let state: "connected" | "call sent" | "password sent" | "done" = "connected";
  const finish = () => {
    if (state === "done") return;
    state = "done";
    for (const command of commands) send(command);
    onDone();
  };
  const sendCall = () => {
    state = "call sent";
    send(call);
  };
  let answered = "";
  /** Returns whether it was answered. A node's prompt isn't, and more can follow it. */
  const onPrompt = (text: string): boolean => {
    if (state !== "connected" && NODE_PROMPT.test(text)) {
      finish();
      return false;
    }
    if (PASSWORD_PROMPT.test(text)) {
      if (state === "password sent") throw new LoginError(name, "the node rejected the password");
      if (password === undefined) throw new LoginError(name, `the node asks for a password of ${call}`);
      state = "password sent";
      send(password);
    } else if (CALL_PROMPT.test(text)) {
      // A greeting can end like a prompt, so that only the same one counts.
      if (state !== "connected" && text.trim() !== answered) return false;
      if (state !== "connected") throw new LoginError(name, `the node did not accept the call ${call}`);
      answered = text.trim();
      sendCall();
    } else return false;
    return true;
  };
  const onText = (text: string) => state !== "done" && onPrompt(text.slice(-MAX_PROMPT_LENGTH));
  return {
    get isDone() {
      return state === "done";
    },
    onLine(line) {
      if (state !== "connected" && state !== "done" && REJECTED.test(line)) {
        const reason = `the node rejected the login of ${call}: ${printable(line)}`;
        throw TRANSIENT.test(line) ? new IOError(name, reason) : new LoginError(name, reason);
      }
      onText(line);
    },
    onRest: onText,
    onSpot: finish,
    onSilence() {
      if (state === "connected") sendCall();
      else finish();
    },
  };
}

function printable(line: string): string {
  return line.slice(0, MAX_PROMPT_LENGTH).replaceAll(/\p{C}/gu, " ").trim();
}

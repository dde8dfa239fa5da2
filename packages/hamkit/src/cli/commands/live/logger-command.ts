/** `hamkit logger`: what N1MM Logger+ and others log, change and spot. */
import type { Command } from "commander";

import {
  listenN1mm,
  recordOfN1mm,
  type N1mmContact,
  type N1mmMessage,
  type ReceivedN1mm,
} from "../../../n1mm.js";
import { exitCodeOf, problemOf } from "../../exit-code.js";
import { integerFrom } from "../../input/integer-option.js";
import { toJson, type Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { toPrintable } from "../../terminal/terminal.js";
import { dropWarning } from "./drop-warning.js";

const EXAMPLES = [
  { line: "hamkit logger", shows: "contacts, spots and radios of N1MM on this computer" },
  { line: "hamkit logger --address 0.0.0.0", shows: "of all computers of the network" },
  { line: "hamkit logger --json", shows: "one JSON object per message, contacts with their fields of ADIF" },
];

export function defineLoggerCommand(command: Command, session: Session): void {
  command
    .description(
      "Listens to the UDP messages of N1MM Logger+ and programs that send the same, and writes each contact that is logged, changed or deleted, each spot, and " +
        "changes of radios, until it is interrupted. Set N1MM to send to this computer, port 12060 (Config, Configure Ports, Broadcast Data).",
    )
    .option("--port <number>", "the UDP port; default 12060", integerFrom(1, 65_535))
    .option("--address <address>", "the local address to listen at; default 127.0.0.1")
    .option("--count <number>", "end after this number of messages", integerFrom(1, 1_000_000_000))
    .option("--json", "output JSON: one object per message")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (options: LoggerOptions) => {
      await reportMessages(options, session);
    });
}

interface LoggerOptions {
  readonly port?: number;
  readonly address?: string;
  readonly count?: number;
  readonly json?: boolean;
}

/** Writes messages until the process is interrupted, standard output is closed, or `--count` of them are received. */
async function reportMessages(
  { json = false, count = Infinity, ...where }: LoggerOptions,
  session: Session,
): Promise<void> {
  try {
    const listener = await listenN1mm(where);
    session.atEnd(() => listener.close());
    const { address, port } = listener.local;
    if (!json) session.print([session.ink("dim", `Listening on UDP port ${port} of ${address}`)]);
    const write = json ? jsonLines : textWriter(session);
    const warnOfDropped = dropWarning(listener, {
      what: "messages",
      reader: "the output",
      warn: session.warn,
    });
    let received = 0;
    for await (const each of listener) {
      session.print(write(each));
      received++;
      if (received >= count || !(await session.io.stdout.ready())) return;
      warnOfDropped();
    }
  } catch (failure) {
    if (!json) throw failure;
    const error = problemOf(failure);
    session.print([toJson({ error }, 0)]);
    session.finish(exitCodeOf(error));
  }
}

function isContact(message: N1mmMessage): message is N1mmContact {
  return message.kind === "contactinfo" || message.kind === "contactreplace";
}

function jsonLines({ message, sender, time }: ReceivedN1mm): string[] {
  const record = isContact(message) ? { record: recordOfN1mm(message) } : {};
  return [toJson({ ...message, ...record, sender, received: time.toISOString() }, 0)];
}

/** Radios send their state every ten seconds: it is written where it has changed. */
function textWriter({ warn }: Session): (received: ReceivedN1mm) => readonly string[] {
  const radios = new Map<number, string>();
  let hasWarned = false;
  return ({ message, sender }) => {
    if (message.kind === "invalid" && !hasWarned) {
      hasWarned = true;
      warn(`a datagram from ${sender.address}:${sender.port} is not one of N1MM: ${message.reason}`);
    }
    const text = textOfMessage(message);
    if (text === undefined) return [];
    if (message.kind === "radioinfo") {
      if (radios.get(message.radio) === text) return [];
      if (radios.size < MAX_RADIOS || radios.has(message.radio)) radios.set(message.radio, text);
    }
    return [toPrintable(text)];
  };
}

/** Anyone can send numbers of radios. */
const MAX_RADIOS = 16;

function textOfMessage(message: N1mmMessage): string | undefined {
  switch (message.kind) {
    case "contactinfo":
    case "contactreplace": {
      const fields = recordOfN1mm(message);
      const part = (names: string[]) =>
        names
          .map((name) => fields[name] ?? "")
          .filter(Boolean)
          .join(" ");
      return words(
        message.kind === "contactinfo" ? "logged" : "changed",
        clock(message.time),
        message.call,
        fields["BAND"],
        message.mode,
        part(["RST_SENT", "STX"]),
        part(["RST_RCVD", "SRX", "SRX_STRING", "ARRL_SECT", "APP_N1MM_SECTION"]),
        fields["CONTEST_ID"] ?? fields["APP_N1MM_CONTEST"],
      );
    }
    case "contactdelete":
      return words("deleted", clock(message.time), message.call);
    case "spot": {
      const what = message.action === "add" ? "spot" : "spot deleted";
      const kilohertz = (message.frequencyHz / 1000).toFixed(1);
      return words(
        what,
        clock(message.time),
        message.call,
        kilohertz,
        message.mode,
        message.spotter,
        message.comment,
      );
    }
    case "radioinfo": {
      const [receives, sends] = [message.frequencyHz, message.txFrequencyHz].map((hertz) =>
        (hertz / 1e6).toFixed(5),
      );
      const split = receives === sends ? "" : `sends at ${sends}`;
      return words(`radio ${message.radio}`, `${receives} MHz`, split, message.mode, message.operator);
    }
    default:
      return undefined;
  }
}

function words(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("  ");
}

function clock(time: Date): string {
  return time.toISOString().slice(11, 19);
}

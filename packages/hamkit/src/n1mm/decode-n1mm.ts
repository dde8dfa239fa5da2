/** Reads and writes N1MM's datagrams. */
import type { N1mmMessage } from "./n1mm-message.js";

/** A datagram has at most 65,507 bytes. */
const MAX_LENGTH = 65_507;

/**
 * Reads a datagram. What is none of N1MM's is `invalid`, and throws nothing: anyone can send to a UDP port.
 *
 * @param datagram Bytes in UTF-8, or text.
 * @example
 * const message = decodeN1mm("<contactinfo><call>W1AW</call><mycall>DH1TW</mycall><timestamp>2024-06-30 12:00:00</timestamp><txfreq>1402500</txfreq><mode>CW</mode></contactinfo>");
 * message.kind === "contactinfo" && [message.call, message.frequencyHz, message.time.toISOString()]; // => ["W1AW", 14025000, "2024-06-30T12:00:00.000Z"]
 */
export function decodeN1mm(datagram: Uint8Array | string): N1mmMessage {
  if (datagram.length > MAX_LENGTH) return { kind: "invalid", reason: "longer than a datagram" };
  const text = typeof datagram === "string" ? datagram : new TextDecoder().decode(datagram);
  const [, name, body] =
    /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?<([A-Za-z]\w*)[^>]*>([^]*)<\/\1>\s*\0*\s*$/.exec(text) ?? [];
  if (name === undefined || body === undefined)
    return { kind: "invalid", reason: "no XML element with an end" };
  const fields = fieldsOf(body);
  return messageOf(name.toLowerCase(), fields) ?? { kind: "other", name, fields };
}

/** The elements of a message have no elements in them. Names differ in case between versions: they are found in any. */
function fieldsOf(body: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [, name = "", value = ""] of body.matchAll(/<([A-Za-z]\w*)>([^<]*)<\/\1>/g))
    fields[name.toLowerCase()] = plain(value).trim();
  return fields;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function plain(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\dA-Fa-f]{1,6})|(amp|lt|gt|quot|apos));/g,
    (all, decimal, hex, name) => {
      if (typeof name === "string") return ENTITIES[name] ?? all;
      const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
    },
  );
}

function messageOf(name: string, fields: Readonly<Record<string, string>>): N1mmMessage | undefined {
  const text = (field: string) => fields[field] ?? "";
  const [time, oldTime] = [timeOf(text("timestamp")), timeOf(text("oldtimestamp"))];
  switch (name) {
    case "contactinfo":
    case "contactreplace": {
      const call = text("call").toUpperCase();
      if (call === "" || time === undefined)
        return { kind: "invalid", reason: "a contact without call or time" };
      const [txHz, rxHz] = [tensOfHertz(text("txfreq")), tensOfHertz(text("rxfreq"))];
      const myCall = text("mycall").toUpperCase();
      const mode = text("mode").toUpperCase();
      return {
        kind: name,
        id: text("id"),
        call,
        time,
        frequencyHz: txHz || rxHz,
        rxFrequencyHz: rxHz || txHz,
        mode,
        myCall,
        radio: positive(text("radionr")) || 1,
        // RUMlog writes YES.
        isOriginal: !/^(?:false|0|no)$/i.test(text("isoriginal")),
        ...(text("oldcall") !== "" && { oldCall: text("oldcall").toUpperCase() }),
        ...(oldTime !== undefined && { oldTime }),
        fields,
      };
    }
    case "contactdelete": {
      const call = text("call").toUpperCase();
      if ((call === "" && text("id") === "") || time === undefined)
        return { kind: "invalid", reason: "a deletion without call and id, or without time" };
      return { kind: name, id: text("id"), call, time, fields };
    }
    case "spot": {
      const call = text("dxcall").toUpperCase();
      if (call === "" || time === undefined)
        return { kind: "invalid", reason: "a spot without call or time" };
      return {
        kind: name,
        action: text("action").toLowerCase() === "delete" ? "delete" : "add",
        call,
        // Of spots in kHz.
        frequencyHz: Math.round(positive(text("frequency")) * 1000),
        mode: text("mode").toUpperCase(),
        spotter: text("spottercall").toUpperCase(),
        comment: text("comment"),
        time,
        fields,
      };
    }
    case "radioinfo":
      return {
        kind: name,
        radio: positive(text("radionr")) || 1,
        activeRadio: positive(text("activeradionr")) || positive(text("radionr")) || 1,
        frequencyHz: tensOfHertz(text("freq")),
        txFrequencyHz: tensOfHertz(text("txfreq")) || tensOfHertz(text("freq")),
        isSplit: isTrue(text("issplit")),
        mode: text("mode").toUpperCase(),
        operator: text("opcall").toUpperCase(),
        isRunning: isTrue(text("isrunning")),
        isTransmitting: isTrue(text("istransmitting")),
        fields,
      };
    default:
      return undefined;
  }
}

/** `2024-06-30 12:00:00`, UTC; `undefined` for another text. */
function timeOf(text: string): Date | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(text) ?? [];
  const moment = new Date(`${date}T${time}Z`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** Frequencies of contacts and radios are in tens of hertz. */
function tensOfHertz(text: string): number {
  return Math.round(positive(text) * 10);
}

/** Some regions write a decimal comma. */
function positive(text: string): number {
  const number = Number(text.replace(",", "."));
  return number > 0 && Number.isFinite(number) ? number : 0;
}

function isTrue(text: string): boolean {
  return /^(?:true|1)$/i.test(text);
}

/** A message without its fields, of which those that it needs are made; others may be given. Some members have a default. */
export type WritableFields<Message, Optional extends keyof Message = never> = Omit<
  Message,
  Optional | "fields"
> &
  Partial<Pick<Message, Optional>> & {
    readonly fields?: Readonly<Record<string, string>>;
  };

/** A message to write. The radio is 1, and a contact that of this station, unless they are given. */
export type WritableN1mmMessage =
  | WritableFields<Extract<N1mmMessage, { kind: "contactinfo" | "contactreplace" }>, "isOriginal" | "radio">
  | WritableFields<Extract<N1mmMessage, { kind: "contactdelete" }>>
  | WritableFields<Extract<N1mmMessage, { kind: "spot" }>, "mode">
  | WritableFields<Extract<N1mmMessage, { kind: "radioinfo" }>, "activeRadio" | "isSplit">;

const ROOTS: Readonly<Record<WritableN1mmMessage["kind"], string>> = {
  contactinfo: "contactinfo",
  contactreplace: "contactreplace",
  contactdelete: "contactdelete",
  spot: "spot",
  radioinfo: "RadioInfo",
};

/** Programs such as RUMlog drop the messages of another. */
const APP = "N1MM";

/**
 * Writes a datagram as N1MM does, for programs that listen to it.
 *
 * @param message A message; `fields` has further elements, which its own members replace.
 * @example
 * const time = new Date("2024-06-30T12:00:00Z");
 * const bytes = encodeN1mm({ kind: "contactdelete", id: "", call: "W1AW", time });
 * decodeN1mm(bytes).kind; // => "contactdelete"
 */
export function encodeN1mm(message: WritableN1mmMessage): Uint8Array {
  const own = Object.entries({ app: APP, ...ownFields(message) });
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  const others = Object.entries(message.fields ?? {}).filter(([name]) => !names.has(name.toLowerCase()));
  const elements = [...own, ...others].flatMap(([name, value]) =>
    /^[A-Za-z]\w*$/.test(name) ? [`\t<${name}>${escaped(value)}</${name}>`] : [],
  );
  const root = ROOTS[message.kind];
  const text = ['<?xml version="1.0" encoding="utf-8"?>', `<${root}>`, ...elements, `</${root}>`, ""].join(
    "\r\n",
  );
  return new TextEncoder().encode(text);
}

function ownFields(message: WritableN1mmMessage): Record<string, string> {
  switch (message.kind) {
    case "contactinfo":
    case "contactreplace":
      return {
        timestamp: timeText(message.time),
        mycall: message.myCall,
        rxfreq: String(Math.round(message.rxFrequencyHz / 10)),
        txfreq: String(Math.round(message.frequencyHz / 10)),
        mode: message.mode,
        call: message.call,
        radionr: String(message.radio ?? 1),
        IsOriginal: trueText(message.isOriginal ?? true),
        ID: message.id,
        ...(message.oldTime !== undefined && { oldtimestamp: timeText(message.oldTime) }),
        ...(message.oldCall !== undefined && { oldcall: message.oldCall }),
      };
    case "contactdelete":
      return { timestamp: timeText(message.time), call: message.call, ID: message.id };
    case "spot":
      return {
        dxcall: message.call,
        frequency: String(message.frequencyHz / 1000),
        ...(message.mode !== undefined && { mode: message.mode }),
        spottercall: message.spotter,
        comment: message.comment,
        action: message.action,
        timestamp: timeText(message.time),
      };
    default:
      return {
        RadioNr: String(message.radio),
        Freq: String(Math.round(message.frequencyHz / 10)),
        TXFreq: String(Math.round(message.txFrequencyHz / 10)),
        Mode: message.mode,
        OpCall: message.operator,
        IsRunning: trueText(message.isRunning),
        ActiveRadioNr: String(message.activeRadio ?? message.radio),
        IsSplit: trueText(message.isSplit ?? message.frequencyHz !== message.txFrequencyHz),
        IsTransmitting: trueText(message.isTransmitting),
      };
  }
}

function trueText(value: boolean): string {
  return value ? "True" : "False";
}

function timeText(time: Date): string {
  return time.toISOString().slice(0, 19).replace("T", " ");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, " ");
}

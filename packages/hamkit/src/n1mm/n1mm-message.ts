/**
 * The messages that N1MM Logger+ broadcasts over UDP, port 12060: XML, one message a datagram.
 *
 * @see https://n1mmwp.hamdocs.com/appendices/external-udp-broadcasts/
 */

/** A contact that was logged, or changed. */
export interface N1mmContact {
  /** `contactreplace` comes for a contact that was changed, after a `contactdelete` of the old one. */
  readonly kind: "contactinfo" | "contactreplace";
  /** 32 characters, by which a contact is known; "" from older versions. */
  readonly id: string;
  readonly call: string;
  readonly time: Date;
  /** Of transmission. */
  readonly frequencyHz: number;
  readonly rxFrequencyHz: number;
  /** As N1MM writes it: `CW`, `USB`, `LSB`, `RTTY`... */
  readonly mode: string;
  /** The own call. */
  readonly myCall: string;
  /** The radio, 1 or 2. */
  readonly radio: number;
  /** Whether it comes from the station that logged it; others of a network may forward it, with the same `id`. */
  readonly isOriginal: boolean;
  /** Call and time before a change; absent from older versions. */
  readonly oldCall?: string;
  readonly oldTime?: Date;
  /** All elements by name, as text. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A contact that was deleted. */
export interface N1mmDeletion {
  readonly kind: "contactdelete";
  readonly id: string;
  readonly call: string;
  readonly time: Date;
  readonly fields: Readonly<Record<string, string>>;
}

/** A spot that was added to the band map, or deleted. */
export interface N1mmSpot {
  readonly kind: "spot";
  readonly action: "add" | "delete";
  readonly call: string;
  readonly frequencyHz: number;
  /** "" where it is unknown. */
  readonly mode: string;
  readonly spotter: string;
  readonly comment: string;
  readonly time: Date;
  readonly fields: Readonly<Record<string, string>>;
}

/** The state of a radio. */
export interface N1mmRadio {
  readonly kind: "radioinfo";
  /** 1 or 2: a station with two radios sends a message for each. */
  readonly radio: number;
  /** The radio that has the keyboard or transmits, 1 or 2. */
  readonly activeRadio: number;
  readonly frequencyHz: number;
  readonly txFrequencyHz: number;
  readonly isSplit: boolean;
  readonly mode: string;
  readonly operator: string;
  readonly isRunning: boolean;
  readonly isTransmitting: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

/** A message of another kind, such as `dynamicresults`. */
export interface N1mmOther {
  readonly kind: "other";
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A datagram that is none of N1MM's. */
export interface N1mmInvalid {
  readonly kind: "invalid";
  readonly reason: string;
}

/** What a datagram holds; `kind` tells which. */
export type N1mmMessage = N1mmContact | N1mmDeletion | N1mmSpot | N1mmRadio | N1mmOther | N1mmInvalid;

/** `/console/api/overview`: the service at a glance. */

export interface Overview {
  readonly version: string;
  readonly now: string;
  readonly replicas: readonly Replica[];
  readonly database: {
    readonly kind: string;
    readonly version: string;
    readonly impairments: readonly string[];
  };
  /** What is known to be wrong with providers. */
  readonly problems: readonly {
    readonly idp_id: string;
    readonly protocol_id: string;
    readonly problems: readonly string[];
  }[];
  readonly keys: {
    readonly master: MasterKey;
    readonly signing: readonly { readonly number: number; readonly created_at: string }[];
    /** 0 if keys are not rotated by themselves. */
    readonly rotation_days: number;
    readonly saml: readonly {
      readonly number: number;
      readonly created_at: string;
      readonly certificate_expires_at: string;
    }[];
  };
  /** One entry for each hour with logins, of the last seven days. */
  readonly logins: {
    readonly hours: readonly LoginHour[];
    /** Recorded failed logins of the last hour by their code, the most frequent first. */
    readonly failed_last_hour: readonly {
      readonly code: string;
      readonly reason: string;
      readonly count: number;
    }[];
  };
  /** Days for which the audit trail is kept; 0 without one. */
  readonly audit_trail: { readonly days: number };
}

export interface Replica {
  readonly id: string;
  readonly host: string;
  /** The number of the worker process; 0 without workers. */
  readonly worker: number;
  readonly version: string;
  readonly started_at: string;
  readonly seen_at: string;
  readonly is_alive: boolean;
  /** Whether it gave this answer. */
  readonly is_asked: boolean;
  /** At its last heartbeat, a sentence each. */
  readonly impairments: readonly string[];
}

/** That of the process that gave the answer. */
export interface MasterKey {
  readonly id: string;
  readonly in_force_id: string | null;
  readonly is_in_force: boolean;
  /** `null` if the key is in a variable, or wrapped. */
  readonly file: string | null;
  readonly source: KeySource;
}

/** Where the master key is kept. */
export interface KeySource {
  readonly kind: "environment" | "file" | "vault" | "pkcs11";
  /** The key of Vault or the token that wraps it. */
  readonly wrapping_key: string | null;
  /** When Vault or the token last unwrapped it. */
  readonly answered_at: string | null;
  /** Why it did not since then. */
  readonly fault: string | null;
}

const SOURCE_NAMES = {
  environment: "a variable",
  file: "a file",
  vault: "Vault",
  pkcs11: "the PKCS#11 token",
} as const;

export function sourceName({ kind }: KeySource): string {
  return SOURCE_NAMES[kind];
}

/** A line of `hamkit-identity doctor`. */
export interface DoctorFinding {
  readonly state: "ok" | "warning" | "failure";
  readonly subject: string;
  readonly text: string;
}

export interface DoctorReport {
  readonly checked_at: string;
  readonly findings: readonly DoctorFinding[];
}

/** The host, and the worker process of several. */
export function replicaName({ host, worker }: Replica): string {
  return worker === 0 ? host : `${host}, worker ${worker}`;
}

/** What gives a process the key in force, as a command on its machine. */
export function masterKeyCommand({ file, source }: MasterKey): string {
  if (source.wrapping_key !== null) return "hamkit-identity doctor   # why it can't be unwrapped";
  return file === null
    ? "IDENTITY_MASTER_KEY=...   # the key in force, in the settings\nsystemctl restart hamkit-identity"
    : `install -m 600 -o hamkit-identity FILE_WITH_THE_KEY_IN_FORCE ${file}\nhamkit-identity doctor`;
}

export interface LoginHour {
  readonly hour: string;
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
}

const HOUR_MS = 3_600_000;

/** One bar for each of the last hours, also for those without logins; the current hour is the last. */
export function lastHours(hours: readonly LoginHour[], now: Date, count: number): readonly LoginHour[] {
  const known = new Map(hours.map((hour) => [new Date(hour.hour).getTime(), hour]));
  const current = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  return Array.from({ length: count }, (_, index) => {
    const at = current - (count - 1 - index) * HOUR_MS;
    return known.get(at) ?? { hour: new Date(at).toISOString(), done: 0, refused: 0, failed: 0 };
  });
}

/** Whole days between two times, at least 0. */
export function daysBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / (24 * HOUR_MS)));
}

/** Files: who may read them, whether certificate and key fit, and how much room there is for more. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

import type { Config } from "../config.js";
import type { Clock } from "../platform/clock.js";
import { failure, ok, warning, type Finding } from "./finding.js";

const MIB = 2 ** 20;
/** Room at which the service should be looked after, and at which its next write may fail. */
const LITTLE_MIB = 1024;
const TOO_LITTLE_MIB = 64;
const DAY_MS = 86_400_000;

/** A file with secrets, and what it is. */
export interface SecretFile {
  readonly subject: string;
  readonly path: string;
}

/** Files that are there, and that others may read. */
export function examineModes(files: readonly SecretFile[]): Finding[] {
  if (process.platform === "win32") return [];
  return files.flatMap(({ subject, path }) => {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    if (mode === undefined) return [];
    const text = `${path} has mode ${(mode & 0o777).toString(8)}`;
    return (mode & 0o077) === 0
      ? ok(subject, text)
      : warning(subject, `${text}, and others may read it: chmod 600 ${path}`);
  });
}

/** Room where a file lies or will lie. */
export function examineSpace(path: string): Finding[] {
  const folder = existingFolder(path);
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  const text = `${free} MiB free at ${folder}`;
  if (free < TOO_LITTLE_MIB) return [failure("disk", `${text}: make room`)];
  return [free < LITTLE_MIB ? warning("disk", `${text}: make room soon`) : ok("disk", text)];
}

/** The certificate, if the service speaks HTTPS by itself. */
export function examineCertificate({ tlsCertFile, tlsKeyFile }: Config, clock: Clock): Finding[] {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return [];
  const certificate = new X509Certificate(readFileSync(tlsCertFile));
  if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(tlsKeyFile))))
    return [failure("certificate", `${tlsKeyFile} is not the key of ${tlsCertFile}`)];
  const days = Math.floor((Date.parse(certificate.validTo) - clock.now()) / DAY_MS);
  const text = `${tlsCertFile} is valid until ${certificate.validTo}`;
  if (days < 0) return [failure("certificate", `${text}: renew it`)];
  return [days < 14 ? warning("certificate", `${text}: renew it`) : ok("certificate", text)];
}

function existingFolder(path: string): string {
  const folder = dirname(path);
  return statSync(folder, { throwIfNoEntry: false }) === undefined && folder !== path
    ? existingFolder(folder)
    : folder;
}

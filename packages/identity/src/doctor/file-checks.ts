/** Checks files: permissions, TLS certificate and key, free disk space. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

import type { Config } from "../config.js";
import { DAY_MS, type Clock } from "../platform/clock.js";
import { notAFile } from "../platform/readable-file.js";
import { failure, ok, warning, type Finding } from "./finding.js";

const MIB = 2 ** 20;
/** Free space below which the operator is warned, and below which writes may soon fail. */
const LOW_SPACE_MIB = 1024;
const MIN_SPACE_MIB = 64;

/** A file with secrets, and its name in findings. */
export interface SecretFile {
  readonly subject: string;
  readonly path: string;
}

/** Checks that existing files are readable by their owner only. */
export function examineModes(files: readonly SecretFile[]): Finding[] {
  if (process.platform === "win32") return [];
  return files.flatMap(({ subject, path }) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    const { mode } = stats;
    const reason = notAFile(stats);
    if (reason !== undefined) return failure(subject, `${path} ${reason}`);
    const text = `${path} has mode ${(mode & 0o777).toString(8)}`;
    return (mode & 0o077) === 0
      ? ok(subject, text)
      : warning(subject, `${text} and is readable by other users: chmod 600 ${path}`);
  });
}

/** Checks free space on the file system of a path. */
export function examineSpace(path: string): Finding[] {
  const folder = existingFolder(path);
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / MIB);
  const text = `${free} MiB free at ${folder}`;
  if (free < MIN_SPACE_MIB) return [failure("disk", `${text}, expected at least ${MIN_SPACE_MIB}`)];
  return [free < LOW_SPACE_MIB ? warning("disk", `${text}, below ${LOW_SPACE_MIB}`) : ok("disk", text)];
}

/** Checks the TLS certificate and key, if set. */
export function examineCertificate({ tlsCertFile, tlsKeyFile }: Config["server"], clock: Clock): Finding[] {
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

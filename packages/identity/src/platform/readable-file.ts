/** Reads a file of a setting, and names what is wrong with its path. */
import { readFileSync, statSync, type Stats } from "node:fs";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist: a part of its path is not a folder",
  EACCES: "can't be read by the user of this process",
  EPERM: "can't be read by the user of this process",
  ELOOP: "is a link that leads to itself",
};

/** `undefined` if a path leads to a file, or to a pipe that is read like one. */
export function notAFile(
  stats: Pick<Stats, "isDirectory" | "isSocket" | "isCharacterDevice" | "isBlockDevice">,
) {
  if (stats.isDirectory()) return "is a folder, expected a file";
  if (stats.isSocket()) return "is a socket, expected a file";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "is a device, expected a file" : undefined;
}

/** Why a file can't be read, to be put after its path. */
export function unreadableReason(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? `can't be read: ${message}`;
}

/** @throws {Error} The message goes after the path. */
export function readFileOfSetting(path: string): string {
  let text: string;
  try {
    const reason = notAFile(statSync(path));
    if (reason !== undefined) throw Object.assign(new Error(reason), { code: "not-a-file" });
    text = readFileSync(path, "utf8");
  } catch (error) {
    const isNoFile = (error as NodeJS.ErrnoException).code === "not-a-file";
    throw new Error(isNoFile ? (error as Error).message : unreadableReason(error), { cause: error });
  }
  if (text.trim() === "") throw new Error("is empty");
  return text;
}

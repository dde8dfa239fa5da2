/**
 * Whether the packages of a lock file are installed.
 *
 * npm lists what it has installed in node_modules/.package-lock.json, last of all. That file lacks the root and what was not for this
 * machine; someone may also have deleted or replaced packages since.
 */
import { existsSync, readFileSync } from "node:fs";

/**
 * @param root The folder of the lock file, with a slash at its end.
 * @param machine What optional packages are chosen by.
 * @returns What is not installed as the lock file says, or `undefined` if everything is.
 */
export function missingPackage(root, machine = thisMachine()) {
  const wanted = packagesOf(`${root}package-lock.json`);
  const installed = packagesOf(`${root}node_modules/.package-lock.json`);
  if (installed === undefined) return "node_modules/.package-lock.json";
  return Object.entries(wanted ?? {}).find(
    ([path, entry]) =>
      path.includes("node_modules/") &&
      !isSame(entry, installed[path], `${root}${path}`) &&
      !(installed[path] === undefined && entry.optional && !isMeantFor(entry, machine)),
  )?.[0];
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return undefined; // absent, not readable, or cut off
  }
}

function isSame(wanted, installed, folder) {
  if (installed === undefined || FIELDS.some((field) => wanted[field] !== installed[field])) return false;
  if (wanted.link) return existsSync(folder);
  try {
    return JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).version === wanted.version;
  } catch {
    return false;
  }
}

/** What identifies the content of a package. The address that it was loaded from may be a mirror. */
const FIELDS = ["version", "integrity", "link"];

/**
 * Optional packages with code for a system name it; npm may leave out others, such as what one of them depends on, or one that failed.
 */
function isMeantFor({ os, cpu, libc }, machine) {
  if (os === undefined && cpu === undefined && libc === undefined) return false;
  return (
    allows(os, machine.os) && allows(cpu, machine.cpu) && (libc === undefined || allows(libc, machine.libc()))
  );
}

/** `["linux"]` or `["!win32"]` */
function allows(list, value) {
  if (list === undefined || list.includes(value)) return true;
  return list.every((item) => item.startsWith("!")) && !list.includes(`!${value}`);
}

function thisMachine() {
  return { os: process.platform, cpu: process.arch, libc: readLibc };
}

function readLibc() {
  if (process.platform !== "linux") return undefined;
  process.report.excludeNetwork = true; // which takes seconds where names are resolved slowly
  return process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc";
}

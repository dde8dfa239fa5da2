/** Whether something is built from older files than those that are there. Plain Node, no packages. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Whether a file is missing, or older than one of the others; folders stand for what they hold.
 *
 * @param isSource Whether a file in a folder counts, by its path; all do, if left out.
 */
export function isOlder(file, others, isSource = () => true) {
  if (!existsSync(file)) return true;
  const { mtimeMs } = statSync(file);
  return others.some((other) => newestIn(other, isSource) > mtimeMs);
}

function newestIn(path, isSource) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(
    0,
    ...readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).replaceAll("\\", "/"))
      .filter((each) => isSource(each))
      .map((each) => statSync(each).mtimeMs),
  );
}

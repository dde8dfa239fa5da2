/** Small lists of the public services, and folders in which they are kept as if they had been downloaded. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll } from "vitest";

import { cachePathOf } from "../../src/io/cached-download.js";
import { zipped } from "../user-lists/lists.js";

/** Calls and dates are made up, but for the form of both. */
export const LOGBOOK_TEXT =
  "W1AW,2024-06-28,20:15:52\nDH1TW,2023-01-02,10:11:12\nDL1ABC,2019-05-30,23:59:59\n";

export const LOGSITE_ZIP = zipped(
  JSON.stringify({
    W1AW: { firstqso: "2012-07-01 06:25:58", lastqso: "2024-06-25 05:46:42", oqrs: false },
    DH1TW: {
      firstqso: "2012-01-01 19:59:27",
      lastqso: "2022-12-31 06:39:03",
      lastupload: "2023-01-01 15:00:06",
      locator: "JN48QM",
      oqrs: true,
      "last-lotw": "2023-01-02 10:11:12",
    },
  }),
);

export const CARDSITE_TEXT = "List of AG members as of 30-Jun-2024 05:00 UTC\r\nDL1ABC\r\nw1aw\r\n";

export const SCP_TEXT = "# Release 2024.06.01\nDH1TW\nDK1TW\nDL1ABC\nDL1TWX\nK1TW\nW1AW\nW1TW\nVER20240601\n";

/** The files by address, with the names under which they are kept. */
const PUBLISHED = [
  { name: "logbook-users", url: "https://lotw.arrl.org/lotw-user-activity.csv", content: LOGBOOK_TEXT },
  { name: "logsite-users", url: "https://cdn.clublog.org/clublog-users.json.zip", content: LOGSITE_ZIP },
  {
    name: "cardsite-users",
    url: "http://www.eqsl.cc/QSLCard/DownloadedFiles/AGMemberlist.txt",
    content: CARDSITE_TEXT,
  },
  { name: "master-scp", url: "http://www.supercheckpartial.com/MASTER.SCP", content: SCP_TEXT },
] as const;

/** When the copies were downloaded. */
export const CHECKED_AT = "2024-06-30T06:00:00Z";

/** A folder of its own for the tests of a file, deleted after them. */
export function temporaryFolder(): { readonly path: string } {
  const folder = { path: "" };
  beforeAll(async () => {
    folder.path = await mkdtemp(join(tmpdir(), "hamkit-cli-"));
  });
  afterAll(() => rm(folder.path, { recursive: true, force: true }));
  return folder;
}

/** Puts copies of all files into a folder, as downloads do. */
export async function keepPublicFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of PUBLISHED) await keepFile(folder, file);
}

/** Puts a copy of a file into a folder, as a download does. */
export async function keepFile(
  folder: string,
  {
    name,
    url,
    content,
  }: { readonly name: string; readonly url: string; readonly content: string | Uint8Array },
): Promise<void> {
  const header = Buffer.from(`${JSON.stringify({ url, checkedAt: Date.parse(CHECKED_AT) })}\n`);
  const sealed = Buffer.concat([header, Buffer.from(content)]);
  const digest = createHash("sha256").update(sealed).digest("hex");
  await writeFile(
    cachePathOf(name, { url, folder }) ?? name,
    Buffer.concat([Buffer.from(`${digest}\n`), sealed]),
  );
}

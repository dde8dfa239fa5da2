/** User lists: the real ones, from disk, so that no network is measured. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const data = fileURLToPath(new URL("../../shared/hamkit/data/", import.meta.url));

const LISTS = [
  {
    work: "logbook, 109,000 lines",
    operation: "getLogbookUsers",
    file: "lotw-user-activity.csv",
    limit: 80,
    peer: 1100,
  },
  {
    work: "log service, zip of 139,000 users",
    operation: "getLogsiteUsers",
    file: "clublog-users.json.zip",
    limit: 300,
    peer: 1420,
  },
  { work: "card service, 86,000 lines", operation: "getCardsiteUsers", file: "eqsl_data.html", peer: 1320 },
];

export async function bench({ row }) {
  for (const { work, operation, file, limit, peer } of LISTS) {
    const filename = data + file;
    if (!existsSync(filename)) continue;
    const { first, best, mb } = inFreshProcess(operation, filename);
    row({ work, hamkit: best, unit: "ms", limit, peer });
    row({ work: `${work}: first call of a process`, hamkit: first, unit: "ms" });
    row({ work: `${work}: memory`, hamkit: mb, unit: "MB" });
  }
}

/** The first of ten calls in a process of their own, the best of them, and what memory the first took. */
function inFreshProcess(operation, filename) {
  const script = `
    const { ${operation} } = await import("hamkit/qsl");
    const before = process.memoryUsage().rss;
    let users, mb;
    const times = [];
    for (let call = 0; call < 10; call++) {
      const start = performance.now();
      users = await ${operation}({ filename: ${JSON.stringify(filename)} });
      times.push(performance.now() - start);
      mb ??= (process.memoryUsage().rss - before) / 1e6;
    }
    console.log(JSON.stringify({ first: times[0], best: Math.min(...times), mb }));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

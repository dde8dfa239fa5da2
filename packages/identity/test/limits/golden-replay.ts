/** Replays the recorded requests about limits on a server that assigns the ids of the recording. */
import type { EnforcementModel } from "../../src/limits/tree/enforcement.js";
import type { Credentials } from "../../src/policy/caller.js";
import { sqliteDatabases } from "../databases.js";
import {
  inDomain,
  inProject,
  SYSTEM_ADMIN,
  SYSTEM_READER,
  UNSCOPED,
  type FeatureServer,
} from "../feature-server.js";
import { goldenIds, goldenRows, type GoldenRow } from "../golden.js";
import { addProject, addRegion, addService, limitServer, remove } from "./limit-server.js";

/** What was recorded, and what is answered here. */
export interface Replayed {
  readonly row: GoldenRow;
  readonly status: number;
  readonly body: unknown;
}

/** What a recording was made with. */
export interface ReplayOptions {
  readonly recording: string;
  readonly model: EnforcementModel;
  readonly files: readonly string[];
  readonly defaultPageSize?: number;
}

export async function replay({ recording, files, ...options }: ReplayOptions): Promise<Replayed[]> {
  const ids = goldenIds(recording);
  const idOf = (name: string) => ids[name] ?? "";
  const given: string[] = [];
  let made = 0;
  const newId = () => given.shift() ?? String(made++).padStart(32, "0");
  const server = await limitServer(sqliteDatabases, { ...options, newId });
  try {
    await setUp(server, idOf);
    const bearers = bearersOf(idOf);
    const replayed: Replayed[] = [];
    for (const row of files.flatMap((file) => goldenRows(recording, file))) {
      if (!/^\/v3\/(?:registered_)?limits/.test(row.path)) await doOtherwise(server, row);
      else {
        given.splice(0, Infinity, ...madeBy(row));
        replayed.push({ row, ...(await askAgain(server, row, bearers)) });
      }
    }
    return replayed;
  } finally {
    await server.close();
  }
}

async function setUp({ database }: FeatureServer, idOf: (name: string) => string): Promise<void> {
  await addProject(database, { id: "default", name: "Default" });
  for (const name of ["dom1", "dom2"]) await addProject(database, { id: idOf(name), name });
  const projects = [
    ["p1", "default"],
    ["p2", "default"],
    ["d1p1", idOf("dom1")],
    ["d1p2", idOf("dom1")],
    // Not in each recording.
    ["d1p1c", idOf("dom1")],
  ] as const;
  for (const [name, domainId] of projects)
    if (idOf(name) !== "") await addProject(database, { id: idOf(name), domainId, name });
  for (const name of ["svc_compute", "svc_volume"]) await addService(database, idOf(name));
  for (const id of ["RegionOne", "RegionTwo"]) await addRegion(database, id);
}

/** Who the tokens of the recording belong to. */
function bearersOf(idOf: (name: string) => string): Readonly<Record<string, Credentials>> {
  const admin = ["admin", "manager", "member", "reader"];
  return {
    $admin: SYSTEM_ADMIN,
    $member: inProject(idOf("p1"), "default", "member", "reader"),
    $unscoped: UNSCOPED,
    $noroles: UNSCOPED,
    $sys_reader: SYSTEM_READER,
    $sys_member: { ...SYSTEM_READER, roles: ["member", "reader"] },
    $dom_admin: inDomain(idOf("dom1"), ...admin),
    $dom_reader: inDomain(idOf("dom1"), "reader"),
    $admin_project: inProject("admin", "default", ...admin),
  };
}

/** What the features do that limits rest on. */
async function doOtherwise({ database }: FeatureServer, row: GoldenRow): Promise<void> {
  const [, , collection, id = ""] = row.path.split("/");
  if (row.status >= 300) return;
  if (row.method === "DELETE") await remove(database, collection === "services" ? "service" : "project", id);
  if (row.method !== "POST" || collection !== "projects") return;
  const { project } = row.response_body as {
    readonly project: { id: string; domain_id: string; name: string };
  };
  await addProject(database, { id: project.id, domainId: project.domain_id, name: project.name });
}

/** The ids that were given to what a request made. */
function madeBy({ method, status, response_body: body }: GoldenRow): string[] {
  if (method !== "POST" || status !== 201) return [];
  return itemsOf(body).map(({ id }) => id);
}

async function askAgain(
  { server }: FeatureServer,
  row: GoldenRow,
  bearers: Readonly<Record<string, Credentials>>,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { "X-Auth-Token": token, "Content-Type": type } = row.request_headers;
  const bearer = bearers[token ?? ""];
  const answer = await server.inject({
    method: row.method as "GET",
    url: row.path,
    headers: {
      ...(token === undefined
        ? {}
        : { "x-auth-token": bearer === undefined ? token : JSON.stringify(bearer) }),
      ...(type === undefined ? {} : { "content-type": type }),
    },
    ...(type === undefined && !row.request_body_is_raw ? {} : { payload: payloadOf(row) }),
  });
  return { status: answer.statusCode, body: answer.body === "" ? "" : (JSON.parse(answer.body) as unknown) };
}

function payloadOf({ request_body: body, request_body_is_raw: isRaw }: GoldenRow): string {
  return isRaw ? String(body) : JSON.stringify(body);
}

/** An answer with its list in the order of the ids: Keystone's has none that it promises. */
export function inOrder(body: unknown): unknown {
  const items = itemsOf(body).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  if (items.length === 0) return body;
  const key = "limits" in (body as object) ? "limits" : "registered_limits";
  return { ...(body as object), [key]: items };
}

function itemsOf(body: unknown): readonly { readonly id: string }[] {
  const { limits, registered_limits: registered } = body as Record<string, { readonly id: string }[]>;
  return limits ?? registered ?? [];
}

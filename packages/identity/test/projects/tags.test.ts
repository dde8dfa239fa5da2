/** Tags of projects. Expected responses are Keystone's. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER } from "../feature-server.js";
import { projectServer, refusal, type ProjectServer } from "./project-server.js";

describe(`tags of projects on ${databases.name}`, () => {
  let service: ProjectServer;
  let url: string;
  let id: string;
  beforeEach(async () => {
    service = await projectServer(databases);
    id = await service.project({ name: "p" });
    url = `/v3/projects/${id}/tags`;
  });
  afterEach(() => service.close());

  const put = (path: string, tags?: unknown) =>
    service.ask("PUT", url + path, tags === undefined ? {} : { body: { tags } });
  const list = async () => (await service.ask("GET", url)).body.tags;

  it("come one by one, and go so", async () => {
    expect((await put("/t1")).status).toBe(201);
    const second = await put("/%20t2%20");
    expect(second.status).toBe(201);
    // links-lead-there
    expect(second.headers["location"]).toBe(`http://127.0.0.1:5900${url}/t2`);
    expect(await list()).toEqual(["t1", "t2"]);
    expect((await service.ask("GET", `${url}/t1`)).status).toBe(204);
    expect((await service.ask("HEAD", `${url}/t1`)).status).toBe(204);
    expect((await service.ask("DELETE", `${url}/t1`)).status).toBe(204);
    const message = "Could not find project tag: t1.";
    expect(refusal(await service.ask("GET", `${url}/t1`))).toEqual([404, message]);
    expect(refusal(await service.ask("DELETE", `${url}/t1`))).toEqual([404, message]);
    expect((await service.ask("HEAD", `${url}/T2`)).status).toBe(404);
  });

  it("replace all others in one request, without surrounding white space", async () => {
    await put("/old");
    const answer = await put("", ["b", "a", " c ", "a "]);
    expect(answer).toMatchObject({
      status: 200,
      body: { links: { self: `http://127.0.0.1:5900${url}` }, tags: ["b", "a", "c"] },
    });
    expect(await list()).toEqual(["a", "b", "c"]);
    expect((await service.ask("DELETE", url)).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  it.each([
    ["/t", "['t', 't'] has non-unique elements"],
    ["/a%2Cb", "Invalid input for field/attribute value. Value: a,b. 'a,b' does not match '^[^,/]*$'"],
    ["/a%2Fb", "Invalid input for field/attribute value. Value: a/b. 'a/b' does not match '^[^,/]*$'"],
    ["/%20", "Invalid input for field/attribute 1. Value: . '' is too short"],
  ])("are refused as %s", async (path, message) => {
    await put("/t");
    expect(refusal(await put(path))).toEqual([400, message]);
    expect(await list()).toEqual(["t"]);
  });

  it.each([
    ["x", "Invalid input for field/attribute tags. Value: x. 'x' is not of type 'array'"],
    [["a/b"], "Invalid input for field/attribute 0. Value: a/b. 'a/b' does not match '^[^,/]*$'"],
    [[""], "Invalid input for field/attribute 0. Value: . '' is too short"],
  ])("are refused together as %j", async (tags, message) => {
    expect(refusal(await put("", tags))).toEqual([400, message]);
  });

  it("are 80 at most", async () => {
    const tags = Array.from({ length: 80 }, (_, index) => String(index));
    expect((await put("", tags)).status).toBe(200);
    expect((await put("/more")).status).toBe(400);
    expect((await put("", [...tags, "more"])).status).toBe(400);
  });

  it("of an immutable project stay", async () => {
    await put("", ["k"]);
    await service.ask("PATCH", `/v3/projects/${id}`, {
      body: { project: { options: { immutable: true } } },
    });
    const rest = `project tags for ${id}, project is immutable. Set "immutable" option to false before creating project tags.`;
    expect(refusal(await put("", ["k"]))).toEqual([403, `Cannot update ${rest}`]);
    expect(refusal(await put("/n"))).toEqual([403, `Cannot create ${rest}`]);
    expect(refusal(await service.ask("DELETE", url))).toEqual([403, `Cannot update ${rest}`]);
    expect(refusal(await service.ask("DELETE", `${url}/k`))).toEqual([403, `Cannot delete ${rest}`]);
    expect(await list()).toEqual(["k"]);
  });

  it("are not those of a project that is not there", async () => {
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["PUT", "/x"],
      ["DELETE", "/x"],
    ] as const)
      expect(refusal(await service.ask(method, `/v3/projects/nope/tags${path}`))).toEqual([
        404,
        "Could not find project: nope.",
      ]);
  });

  it("are read in the project and its domain, and changed by managers of the domain", async () => {
    await put("/t");
    for (const as of [SYSTEM_READER, inDomain("default", "reader"), inProject(id, "default", "member")]) {
      expect((await service.ask("GET", url, { as })).status).toBe(200);
      expect((await service.ask("GET", `${url}/t`, { as })).status).toBe(204);
      for (const [method, path] of [
        ["PUT", ""],
        ["DELETE", ""],
        ["PUT", "/u"],
        ["DELETE", "/t"],
      ] as const)
        expect((await service.ask(method, url + path, { as })).status).toBe(403);
    }
    for (const as of [inDomain("d", "manager"), inProject("q", "default", "manager")])
      expect((await service.ask("GET", url, { as })).status).toBe(403);
    const as = inDomain("default", "manager", "reader");
    expect((await service.ask("PUT", url, { as, body: { tags: ["x"] } })).status).toBe(200);
    expect((await service.ask("PUT", `${url}/y`, { as })).status).toBe(201);
    expect((await service.ask("DELETE", `${url}/y`, { as })).status).toBe(204);
    expect((await service.ask("DELETE", url, { as })).status).toBe(204);
  });
});

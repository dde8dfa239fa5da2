/** Lists of projects: filters, sort order, pages. Expected responses are Keystone's. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { inDomain, inProject, SYSTEM_READER, UNSCOPED } from "../feature-server.js";
import { namesIn, projectServer, refusal, type ProjectServer } from "./project-server.js";

const TAGS: Readonly<Record<string, readonly string[]>> = {
  A: ["x"],
  B: ["x", "y"],
  C: ["y"],
  D: [],
  E: ["z"],
};

describe(`lists of projects on ${databases.name}`, () => {
  let service: ProjectServer;
  let domain: string;
  let first: string;
  beforeAll(async () => {
    service = await projectServer(databases);
    domain = await service.domain({ name: "one", tags: ["x"] });
    for (const [name, tags] of Object.entries(TAGS))
      await service.project({ name, tags, domain_id: domain, enabled: name !== "E" });
    first = await service.project({ name: "top" });
    await service.project({ name: "below", parent_id: first });
  });
  afterAll(() => service.close());

  const list = async (query: string, options: object = {}) =>
    namesIn((await service.ask("GET", `/v3/projects?${query}`, options)).body.projects);

  it.each([
    ["", "A B C D E"],
    ["tags=x", "A B"],
    ["tags=x,y", "B"],
    ["tags=y,x", "B"],
    ["tags-any=x,z", "A B E"],
    ["not-tags=x", "C D E"],
    ["not-tags=x,y", "A C D E"],
    ["not-tags-any=x,z", "C D"],
    ["tags=x&not-tags=y", "A"],
    ["tags=x&tags-any=y", "B"],
    ["tags-any=x&not-tags=x,y", "A"],
    ["tags=", ""],
    ["tags-any=", ""],
    ["not-tags=", "A B C D E"],
    ["tags=X", ""],
    ["tags__contains=x", "A B C D E"],
    // tag-filters-all-hold
    ["tags=nope&not-tags=x", ""],
    ["not-tags=x&not-tags-any=z", "C D"],
  ])("have those that ?%s asks for", async (query, names) => {
    expect(await list(`domain_id=${domain}&${query}`)).toEqual(names.split(" ").filter(Boolean));
  });

  it("are sorted and searched page by page, with the total and all tags, if a client asks for that", async () => {
    async function pages(query: string): Promise<[names: string[], total: number]> {
      const [found, totals]: [string[], number[]] = [[], []];
      for (let next: string | null = `/v3/projects?domain_id=${domain}&limit=2&${query}`; next !== null;) {
        const { body } = await service.ask("GET", next);
        found.push(...body.projects.map(({ name }: { name: string }) => name));
        if (body.total !== undefined) totals.push(body.total);
        next = body.links.next?.replace("http://127.0.0.1:5900", "") ?? null;
      }
      expect(totals.length).toBe(query.includes("details") ? 1 : 0);
      return [found, totals[0] ?? 0];
    }
    expect((await pages("sort_key=name&sort_dir=desc"))[0]).toEqual(["E", "D", "C", "B", "A"]);
    expect(await pages("sort_key=enabled&details=true&tags-any=x,z")).toEqual([
      expect.arrayContaining(["A", "B", "E"]),
      3,
    ]);
    const { body } = await service.ask("GET", `/v3/projects?domain_id=${domain}&sort_key=name&sort_dir=desc`);
    expect(await pages(`search=${body.projects[3].id.slice(2)}&details=true&sort_key=name`)).toEqual([
      ["B"],
      1,
    ]);
    expect(body.projects.map(({ tags }: { tags: string[] }) => tags)).toEqual([
      ["z"],
      [],
      ["y"],
      ["x", "y"],
      ["x"],
    ]);
  });

  it("show each with all its tags, and its place", async () => {
    const { body } = await service.ask("GET", `/v3/projects?tags=x,y`);
    expect(body.projects).toEqual([
      {
        id: expect.any(String),
        name: "B",
        domain_id: domain,
        parent_id: domain,
        is_domain: false,
        description: "",
        enabled: true,
        tags: ["x", "y"],
        options: {},
        links: { self: `http://127.0.0.1:5900/v3/projects/${body.projects[0].id}` },
      },
    ]);
  });

  it.each([
    ["enabled=true", "A B C D"],
    ["enabled=", "A B C D"],
    ["enabled=0", "E"],
    ["enabled=FALSE", "E"],
    ["enabled=off", "E"],
    ["name=A", "A"],
    ["name__istartswith=a", "A"],
    ["is_domain=true", ""],
    ["is_domain=0", "A B C D E"],
    ["description=none&id=none", "A B C D E"],
  ])("have those of which %s is true", async (query, names) => {
    expect(await list(`domain_id=${domain}&${query}`)).toEqual(names.split(" ").filter(Boolean));
  });

  it("have those below a project, and domains if they are asked for", async () => {
    expect(await list(`parent_id=${first}`)).toEqual(["below"]);
    expect(await list("parent_id=default")).toEqual(["top"]);
    expect(await list("is_domain=true")).toEqual(["Default", "one"]);
    expect(await list("is_domain=true&tags=x")).toEqual(["one"]);
  });

  it.each([
    [
      "enabled=banana",
      "Invalid input for field/attribute enabled. Value: banana. 'banana' is not one of [True, 'True', 'TRUE', 'true', False, 'False', 'FALSE', 'false', '', '1', '0', 'y', 'Y', 'n', 'N', 'on', 'ON', 'off', 'OFF', 'yes', 'no']",
    ],
    ["name=", "Invalid input for field/attribute name. Value: . '' is too short"],
    ["domain_id=", "Invalid input for field/attribute domain_id. Value: . '' is too short"],
  ])("are refused for ?%s", async (query, message) => {
    expect(refusal(await service.ask("GET", `/v3/projects?${query}`))).toEqual([400, message]);
  });

  it("come in pages, with the tags of each", async () => {
    const found: { readonly name: string; readonly tags: string[] }[] = [];
    let url = `/v3/projects?domain_id=${domain}&limit=2`;
    for (let pages = 1; pages <= 3; pages++) {
      const { body } = await service.ask("GET", url);
      found.push(...body.projects);
      url = body.links.next?.replace("http://127.0.0.1:5900", "");
    }
    expect(url).toBeUndefined();
    expect(Object.fromEntries(found.map(({ name, tags }) => [name, tags]))).toEqual(TAGS);
  });

  it("have nothing of other domains for who has a token for one", async () => {
    for (const role of ["reader", "admin"]) {
      const as = inDomain(domain, role);
      expect(await list("", { as })).toEqual(["A", "B", "C", "D", "E"]);
      expect(await list("domain_id=default", { as })).toEqual([]);
      expect(await list("is_domain=true", { as })).toEqual([]);
    }
    expect(await list("name=top", { as: SYSTEM_READER })).toEqual(["top"]);
    expect(await list("name=top", { as: inProject("p", domain, "admin") })).toEqual(["top"]);
    for (const as of [UNSCOPED, inDomain(domain), inProject(first, "default", "reader", "manager")])
      expect((await service.ask("GET", "/v3/projects", { as })).status).toBe(403);
    expect((await service.ask("GET", "/v3/projects", { as: null })).status).toBe(401);
  });
});

/**
 * Users and groups that an identity provider pushes: 20,000 users, groups of 5,000 members, and what a member more costs. The times
 * hold on a machine that does nothing else. Changes come by some connections at once, as providers send them: their limit is what the
 * service bears, not how long one change takes.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { login, onEachDatabase, passwordBody, processorSeconds, put } from "./identity-service.mjs";

const USERS = 20_000;
const MEMBERS = 5000;
const CONNECTIONS = 8;
const CHANGES = 3000;
const ROUNDS = 800;
const FEW_ROUNDS = 200;
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/bench";
const LIMIT_PER_SECOND = 300;
const LIMIT_TURN_MS = 50;
export const isLong = true;

export async function bench({ row }) {
  const settings = { IDENTITY_LOG_LEVEL: "warn" };
  await onEachDatabase(settings, row, measure);
}

async function measure(name, { url, pid }, row) {
  const headers = { "x-auth-token": await login(url, passwordBody({ system: { all: true } })) };
  const provider = { enabled: true, scim_unique_id: "userName" };
  await put(url, PROVIDER, headers, { identity_provider: provider });
  const made = await fetch(`${url}${PROVIDER}/scim_secrets`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ scim_secret: {} }),
  });
  const { secret } = (await made.json()).scim_secret;
  const push = scimClient(`${url}/scim/v2/bench`, secret);

  /** Runs a step, and shows its rate, what it costs, and how long others waited meanwhile. */
  async function step(work, count, run, limit = LIMIT_PER_SECOND) {
    const before = processorSeconds(pid);
    const start = performance.now();
    const longest = await longestAnswerMs(url, run);
    const seconds = (performance.now() - start) / 1000;
    row({ work: `${name}: ${work}`, hamkit: count / seconds, limit });
    const costMs = ((processorSeconds(pid) - before) / count) * 1000;
    row({ work: "  processor time of each", hamkit: costMs, unit: "ms" });
    row({ work: "  another request answered within", hamkit: longest, unit: "ms", limit: LIMIT_TURN_MS });
  }

  const ids = [];
  await step(`push ${USERS} users`, USERS, () =>
    each(USERS, async (number) => {
      ids[number] = (await push("POST", "/Users", userOf(number))).id;
    }),
  );
  await step("find a user by userName", CHANGES, () =>
    each(CHANGES, (number) =>
      push("GET", `/Users?filter=${encodeURIComponent(`userName eq "user-${number}@example.org"`)}`),
    ),
  );
  await step("change a user's title", CHANGES, () =>
    each(CHANGES, (number) => push("PATCH", `/Users/${ids[number]}`, replacing("title", "Dr"))),
  );
  await step("deactivate a user", CHANGES, () =>
    each(CHANGES, (number) => push("PATCH", `/Users/${ids[number]}`, replacing("active", "False"))),
  );
  await step(
    "list a page of 200 users",
    20,
    () => each(20, (number) => push("GET", `/Users?startIndex=${1 + number * 200}&count=200`)),
    0,
  );

  const members = ids.slice(0, MEMBERS).map((value) => ({ value, display: "as clients send it" }));
  let group;
  await step(
    `push a group of ${MEMBERS} members`,
    1,
    async () => {
      group = await push("POST", "/Groups", { displayName: "large", members });
    },
    0,
  );
  const addAndRemove = async (own, round) => {
    const id = ids[MEMBERS + round];
    await push("PATCH", `/Groups/${own.id}`, patch({ op: "Add", path: "members", value: [{ value: id }] }));
    await push("PATCH", `/Groups/${own.id}`, patch({ op: "Remove", path: `members[value eq "${id}"]` }));
  };
  await step("add and remove members of it", 2 * ROUNDS, () =>
    each(ROUNDS, (round) => addAndRemove(group, round)),
  );
  // Each change waits for the commit of the one before: the time of one change, not how many there can be.
  await step(
    "the same by a client with one connection",
    2 * FEW_ROUNDS,
    async () => {
      for (let round = 0; round < FEW_ROUNDS; round++) await addAndRemove(group, round);
    },
    0,
  );
  const groups = [group];
  while (groups.length < CONNECTIONS)
    groups.push(await push("POST", "/Groups", { displayName: `large ${groups.length}`, members }));
  await step("add and remove members of groups of that size", 2 * ROUNDS, () =>
    Promise.all(
      groups.map(async (own, connection) => {
        for (let round = connection; round < ROUNDS; round += CONNECTIONS) await addAndRemove(own, round);
      }),
    ),
  );
  await step(
    "replace it by PUT, with one member more",
    5,
    async () => {
      for (let round = 0; round < 5; round++)
        await push("PUT", `/Groups/${group.id}`, {
          displayName: "large",
          members: [...members, { value: ids[MEMBERS + round] }],
        });
    },
    0,
  );
  // Not parsed: that would hold up the other request on the side of its sender.
  const read = async () => {
    const answer = await fetch(`${url}/scim/v2/bench/Groups/${group.id}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`GET of a group: ${answer.status}`);
  };
  await step("read it with its members", 20, () => each(20, read), 0);
  await step(
    "find a user by e-mail address",
    5,
    () =>
      each(5, () =>
        push("GET", `/Users?filter=${encodeURIComponent('emails[type eq "work"].value eq "x@y"')}`),
      ),
    0,
  );
}

function userOf(number) {
  const userName = `user-${number}@example.org`;
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    externalId: `ext-${number}`,
    userName,
    active: true,
    displayName: `User ${number}`,
    name: { givenName: "User", familyName: String(number) },
    emails: [{ primary: true, type: "work", value: userName }],
  };
}

const patch = (...Operations) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations,
});
const replacing = (path, value) => patch({ op: "Replace", path, value });

function scimClient(base, secret) {
  return async (method, path, body) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/scim+json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
    return text === "" ? undefined : JSON.parse(text);
  };
}

/** Some at a time. */
async function each(count, run) {
  let next = 0;
  const one = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}

/** The longest time to an answer of another request that is sent again and again meanwhile: how long a turn of the event loop is. */
async function longestAnswerMs(url, run) {
  const probe = new Worker(new URL("probe-thread.mjs", import.meta.url), { workerData: `${url}/v3` });
  await once(probe, "message");
  await run();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origins.
  probe.postMessage("end");
  const [longest] = await once(probe, "message");
  return longest;
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, expect, it } from "vitest";

import { startLiveFeed } from "../../../../src/cli/commands/serve/live-feed.js";
import { parseFeedLine, type FeedSource } from "../../../../src/feeds.js";
import { loadEmbeddedCountryFile } from "../../../../src/lookup.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A source that sends these lines of a cluster, and stays connected. */
function clusterOf(...lines: readonly string[]): FeedSource {
  return {
    name: "cluster",
    async connect({ signal, onOpen, onItem, now }) {
      onOpen();
      for (const line of lines) onItem(parseFeedLine(line, { now: now() }));
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
}

it("a page that connects has the latest report of solar activity of each station", async () => {
  const feed = startLiveFeed({
    sources: [
      clusterOf(
        "WWV de W0MU <15Z> :   SFI=99, A=9, K=4, No Storms -> No Storms",
        "WWV de W0MU <18Z> :   SFI=120, A=5, K=2, No Storms -> Minor w/G1",
        "WCY de DK0WCY-1 <18> : K=3 expK=2 A=14 R=0 SFI=118 SA=qui GMF=act Au=no",
      ),
    ],
    table: await loadEmbeddedCountryFile(),
    locator: undefined,
    filter: () => true,
    logs: () => undefined,
    onState: () => {},
    warn: () => {},
  });
  cleanups.push(() => feed.close());
  const server = createServer((request, response) => feed.hub.attach(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  await expect
    .poll(async () => {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      const reader = response.body?.getReader();
      const { value } = (await reader?.read()) ?? {};
      await reader?.cancel();
      return Array.from(
        new TextDecoder().decode(value).matchAll(/event: report\ndata: (.*)/g),
        ([, data = ""]) => {
          const { kind, sfi, a, k } = JSON.parse(data) as Record<string, unknown>;
          return { kind, sfi, a, k };
        },
      );
    })
    .toEqual([
      { kind: "wwv", sfi: 120, a: 5, k: 2 },
      { kind: "wcy", sfi: 118, a: 14, k: 3 },
    ]);
});

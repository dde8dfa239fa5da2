/** Loads the live part: when its panel is opened, or at once if the page has a server or a source was turned on before. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { readKept } from "../device.js";
import type { SolarReports } from "../sky/solar-reports.js";
import type { StageView } from "../map/map-geometry.js";
import type { NeedReader } from "../needed/need-words.js";
import type * as LiveParts from "./live.js";
import type { LiveState } from "./live-state.js";

export interface LoadedLive {
  readonly parts: typeof LiveParts;
  readonly state: LiveState;
}

export interface Live {
  readonly loaded: LoadedLive | undefined;
  readonly problem: string | undefined;
  /** Answers for the log that is open, or for those of the server. */
  readonly ask: NeedReader | undefined;
  /** Of solar activity, as far as a cluster has sent them. */
  readonly reports: SolarReports;
  /** What is drawn over the map; nothing before it is loaded. */
  readonly layer: (isDark: boolean) => ((view: StageView) => ComponentChildren) | undefined;
}

interface Options {
  /** The panel is open. */
  readonly isOpen: boolean;
  readonly own: string | undefined;
  /** Of the log that is open on the page. */
  readonly needsOfLog: NeedReader | undefined;
}

/** `hamkit serve` writes it into the page. */
const server = document.querySelector<HTMLMetaElement>('meta[name="live"]')?.content;

export function useLive({ isOpen, own, needsOfLog }: Options): Live {
  const [loaded, setLoaded] = useState<LoadedLive>();
  const [problem, setProblem] = useState<string>();
  const isLoading = useRef(false);
  const locator = useRef(own);
  locator.current = own;

  useEffect(() => {
    if (isLoading.current || !(isOpen || server !== undefined || wasUsed())) return;
    isLoading.current = true;
    load().catch((error: unknown) => {
      isLoading.current = false;
      setProblem(
        `The live part could not be loaded: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
  }, [isOpen]);

  async function load(): Promise<void> {
    const parts = await import("./live.js");
    if (!isOpen && !parts.startsByItself(server)) {
      isLoading.current = false;
      return;
    }
    // The worker resolves addresses from its own.
    const url = server === undefined ? undefined : new URL(server, document.baseURI).href;
    setLoaded({ parts, state: parts.createLiveState({ server: url, locator: () => locator.current }) });
  }

  const state = loaded?.state;
  useEffect(() => state?.readLog(needsOfLog), [state, needsOfLog]);
  useEffect(() => state?.moved(), [own]);
  // The server says after a while whether it has logs.
  const [ask, setAsk] = useState<NeedReader>();
  const [reports, setReports] = useState<SolarReports>({});
  useEffect(
    () =>
      state?.subscribe(() => {
        setAsk(() => state.ask);
        setReports(state.reports);
      }),
    [state],
  );
  return {
    loaded,
    problem,
    ask,
    reports,
    layer: (isDark) =>
      loaded && ((view) => <loaded.parts.SpotLayer live={loaded.state} view={view} isDark={isDark} />),
  };
}

/** Something of the live part was chosen before: whether it is a source, the part itself knows. */
function wasUsed(): boolean {
  return readKept("live") !== undefined;
}

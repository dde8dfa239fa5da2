/** A list that is loaded page by page, by the markers of the API. */
import { isAbort } from "./client.ts";

/** A page of a list, as the API returns it under the list's own name. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** `links.next` of the response; nullish at the end. */
  readonly next?: string | null | undefined;
  /** Rows of all pages; in the first page, where the service counts them. */
  readonly total?: number | undefined;
}

export interface PageRequest {
  readonly limit: number;
  /** The last id of the page before; `undefined` for the first page. */
  readonly marker: string | undefined;
  readonly signal: AbortSignal;
}

export type LoadPage<Row> = (request: PageRequest) => Promise<Page<Row>>;

const PAGE_SIZE = 200;

/**
 * The rows loaded so far. Reactive: pages read its fields.
 *
 * A page makes one, and calls `open` in an effect that reads its filters.
 */
export class PagedList<Row> {
  rows = $state.raw<readonly Row[]>([]);
  /** Of the page that is being loaded, or was loaded last. */
  status = $state<"loading" | "ready" | "failed">("loading");
  error = $state.raw<unknown>();
  #marker = $state.raw<string | undefined>();
  /** Rows of all pages, if the service counted them. */
  total = $state<number>();
  /** Whether all rows came in the first page. */
  isOnePage = $state(false);
  #load: LoadPage<Row> | undefined;
  /** Of the request under way, or made last. */
  #asked: string | undefined;
  #running: AbortController | undefined;

  /** Whether rows follow that are not loaded yet. */
  get hasMore(): boolean {
    return this.#marker !== undefined;
  }

  /** Loads the first page; a load that is under way is given up. Rows stay until the new ones are there. */
  async open(load: LoadPage<Row>): Promise<void> {
    this.#load = load;
    await this.#run(undefined);
  }

  /** Loads the first page again. */
  async reload(): Promise<void> {
    await this.#run(undefined);
  }

  /** Repeats the request that failed. */
  async retry(): Promise<void> {
    await this.#run(this.#asked);
  }

  /** Loads the next page; does nothing while one is being loaded, at the end, and after a failure: `retry` is for that. */
  async loadMore(): Promise<void> {
    if (this.status !== "ready" || this.#marker === undefined) return;
    await this.#run(this.#marker);
  }

  /** All rows: loads the pages that follow. @throws What failed. */
  async all(): Promise<readonly Row[]> {
    const load = this.#load;
    while (this.status === "ready" && this.#marker !== undefined && this.#load === load)
      await this.#run(this.#marker);
    if (this.status === "failed") throw this.error;
    return this.rows;
  }

  /** Gives up the load under way: for a page that closes. */
  close(): void {
    this.#running?.abort();
  }

  async #run(marker: string | undefined): Promise<void> {
    const load = this.#load;
    if (load === undefined) return;
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#asked = marker;
    this.status = "loading";
    try {
      const page = await load({ limit: PAGE_SIZE, marker, signal: running.signal });
      if (running.signal.aborted) return;
      this.rows = marker === undefined ? page.rows : [...this.rows, ...page.rows];
      this.#marker = markerIn(page.next);
      if (marker === undefined) this.total = page.total;
      this.isOnePage = marker === undefined && !this.hasMore;
      this.error = undefined;
      this.status = "ready";
    } catch (error) {
      if (running.signal.aborted || isAbort(error)) return;
      this.error = error;
      this.status = "failed";
    }
  }
}

/** The marker in the link to the next page. */
export function markerIn(next: string | null | undefined): string | undefined {
  if (next === null || next === undefined) return undefined;
  return new URL(next, "http://localhost").searchParams.get("marker") ?? undefined;
}

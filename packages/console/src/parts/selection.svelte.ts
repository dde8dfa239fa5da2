/** The rows of a list that are selected, whatever page, filter or order they were found by. */

/** Reactive. */
export class Selection<Row extends { readonly id: string }> {
  #rows = $state.raw<ReadonlyMap<string, Row>>(new Map());

  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  get size(): number {
    return this.#rows.size;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  /** Whether all of these are selected; `undefined` if only some are. */
  covers(rows: readonly Row[]): boolean | undefined {
    if (this.#rows.size === 0) return false;
    const count = rows.filter(({ id }) => this.#rows.has(id)).length;
    return count === 0 ? false : count === rows.length ? true : undefined;
  }

  /** Adds rows, or takes them out. */
  set(rows: readonly Row[], isSelected: boolean): void {
    const changed = new Map(this.#rows);
    for (const row of rows)
      if (isSelected) changed.set(row.id, row);
      else changed.delete(row.id);
    this.#rows = changed;
  }

  /** Selects these rows and no others. */
  replace(rows: readonly Row[]): void {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
  }
}

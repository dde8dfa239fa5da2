/**
 * A trie of prefixes, which finds the longest one in one pass over the text.
 *
 * The trie is one array of whole numbers: node n has its children at n * WIDTH + character. 0 means no child, because
 * the root is the child of no node.
 */

/** Characters of a prefix: "-", one that no callsign has, "/", 0-9, seven that no callsign has, A-Z. */
const FIRST = 45;
const WIDTH = 46;
export class PrefixTree<Value> {
  #children: Int32Array;
  readonly #values: (Value | undefined)[] = [undefined];
  #size = 0;

  /** @param nodes Initial number of nodes; it grows as needed. */
  constructor(nodes = 64) {
    this.#children = new Int32Array(nodes * WIDTH);
  }

  /** Number of texts with a value. */
  get size(): number {
    return this.#size;
  }

  /** The value of exactly this text. */
  get(text: string): Value | undefined {
    // Read once: before the code is optimized, each read of a private field is slow.
    const children = this.#children;
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      node = childIn(children, node, text.charCodeAt(index));
      if (node === 0) return undefined;
    }
    return this.#values[node];
  }

  set(text: string, value: Value): void {
    const node = this.#nodeOf(text);
    if (this.#values[node] === undefined) this.#size++;
    this.#values[node] = value;
  }

  /** Replaces a value by a function of it. */
  update(text: string, change: (present: Value | undefined) => Value): void {
    const node = this.#nodeOf(text);
    const present = this.#values[node];
    if (present === undefined) this.#size++;
    this.#values[node] = change(present);
  }

  #nodeOf(text: string): number {
    const children = this.#children;
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      const child = childIn(children, node, text.charCodeAt(index));
      if (child === 0) return this.#addBranch(node, text, index);
      node = child;
    }
    return node;
  }

  /** Adds the nodes of a text of which the trie has the first `known` characters. */
  #addBranch(parent: number, text: string, known: number): number {
    let node = parent;
    for (let index = known; index < text.length; index++) node = this.#addChild(node, text.charCodeAt(index));
    return node;
  }

  /**
   * The longest prefix of the text, of at least `minLength` characters, for whose value `pick` returns a result.
   */
  longest<Context, Found>(
    text: string,
    minLength: number,
    pick: (value: Value, context: Context) => Found | undefined,
    context: Context,
  ): { readonly found: Found; readonly length: number } | undefined {
    const children = this.#children;
    const values = this.#values;
    let node = 0;
    let best: Found | undefined;
    let length = 0;
    for (let index = 0; index < text.length; index++) {
      node = childIn(children, node, text.charCodeAt(index));
      if (node === 0) break;
      const value = values[node];
      if (value === undefined || index + 1 < minLength) continue;
      const found = pick(value, context);
      if (found === undefined) continue;
      best = found;
      length = index + 1;
    }
    return best === undefined ? undefined : { found: best, length };
  }

  /** All texts with their values, in the order of their characters. */
  *entries(): Generator<readonly [text: string, value: Value]> {
    yield* this.#below(0, "");
  }

  *#below(node: number, text: string): Generator<readonly [text: string, value: Value]> {
    const value = this.#values[node];
    if (value !== undefined) yield [text, value];
    for (let character = 0; character < WIDTH; character++) {
      const child = this.#children[node * WIDTH + character] ?? 0;
      if (child !== 0) yield* this.#below(child, text + String.fromCharCode(character + FIRST));
    }
  }

  #addChild(node: number, code: number): number {
    const child = this.#values.length;
    if ((child + 1) * WIDTH > this.#children.length) {
      const grown = new Int32Array(this.#children.length * 2);
      grown.set(this.#children);
      this.#children = grown;
    }
    this.#children[node * WIDTH + code - FIRST] = child;
    this.#values.push(undefined);
    return child;
  }
}

/** The child of a node at a character; 0 for none. */
function childIn(children: Int32Array, node: number, code: number): number {
  const character = code - FIRST;
  return character >= 0 && character < WIDTH ? (children[node * WIDTH + character] ?? 0) : 0;
}

/**
 * Prefixes as a tree of characters, so that the longest one is found in one walk along the text.
 *
 * The tree is one array of whole numbers: node n has its children at n * WIDTH + character. 0 means no child, because
 * the root is nobody's child.
 */

/** Characters of a prefix: "-", one that no callsign has, "/", 0-9, seven that no callsign has, A-Z. */
const FIRST = 45;
const WIDTH = 46;
export class PrefixTree<Value> {
  #children: Int32Array;
  readonly #values: (Value | undefined)[] = [undefined];
  #size = 0;

  /** @param nodes How many characters of room to begin with; it grows as needed. */
  constructor(nodes = 64) {
    this.#children = new Int32Array(nodes * WIDTH);
  }

  /** How many texts have a value. */
  get size(): number {
    return this.#size;
  }

  /** The value at exactly this text. */
  get(text: string): Value | undefined {
    // Looked up once: while the code is young, each look at a private field takes its time.
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

  /** Sets what a function makes of the value that is there. */
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

  /** The node of a text of which the tree has the first characters alone. */
  #addBranch(parent: number, text: string, known: number): number {
    let node = parent;
    for (let index = known; index < text.length; index++) node = this.#addChild(node, text.charCodeAt(index));
    return node;
  }

  /**
   * The longest prefix of the text, of `shortest` characters or more, in whose value `pick` finds something.
   */
  longest<Context, Found>(
    text: string,
    shortest: number,
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
      if (value === undefined || index + 1 < shortest) continue;
      const found = pick(value, context);
      if (found === undefined) continue;
      best = found;
      length = index + 1;
    }
    return best === undefined ? undefined : { found: best, length };
  }

  /** Every text that has a value, in the order of their characters. */
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

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
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      node = this.#child(node, text.charCodeAt(index));
      if (node === 0) return undefined;
    }
    return this.#values[node];
  }

  set(text: string, value: Value): void {
    let node = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      node = this.#child(node, code) || this.#addChild(node, code);
    }
    if (this.#values[node] === undefined) this.#size++;
    this.#values[node] = value;
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
    let node = 0;
    let best: Found | undefined;
    let length = 0;
    for (let index = 0; index < text.length; index++) {
      node = this.#child(node, text.charCodeAt(index));
      if (node === 0) break;
      const value = this.#values[node];
      if (value === undefined || index + 1 < shortest) continue;
      const found = pick(value, context);
      if (found === undefined) continue;
      best = found;
      length = index + 1;
    }
    return best === undefined ? undefined : { found: best, length };
  }

  #child(node: number, code: number): number {
    const character = code - FIRST;
    return character >= 0 && character < WIDTH ? (this.#children[node * WIDTH + character] ?? 0) : 0;
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

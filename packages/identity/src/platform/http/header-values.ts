/** Values of headers: the cookies of a request, and text that a header can contain. */

/** The cookies of a header, in its order. */
export function cookiesOf(header: string | undefined): (readonly [name: string, value: string])[] {
  return (header ?? "").split(";").map((pair) => {
    const [name = "", value = ""] = pair.trim().split(/=(.*)/s);
    return [name, value];
  });
}

/** Whether a header can contain the text: printable ASCII. */
export function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** The `Cookie` header of requests. */

/** The cookies of a header, in its order. */
export function cookiesOf(header: string | undefined): (readonly [name: string, value: string])[] {
  return (header ?? "").split(";").map((pair) => {
    const [name = "", value = ""] = pair.trim().split(/=(.*)/s);
    return [name, value];
  });
}

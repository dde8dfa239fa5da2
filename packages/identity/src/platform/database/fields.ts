/** Fields of a resource, declared once by the names that its columns and the API share: item, columns and view follow. */
import type { Static, TSchema } from "typebox";

/** `serviceId` for `service_id`. */
type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type Shape = Readonly<Record<string, TSchema>>;

/** An item by the fields of {@link declareFields}. */
export type ItemOf<Fields extends { readonly shape: Shape }> = {
  readonly [Name in keyof Fields["shape"] as CamelCase<Name> & string]: Static<Fields["shape"][Name]>;
};

/**
 * Declares fields: `declareFields({ id: Type.String(), service_id: Type.String() })`.
 *
 * @param shape The schemas of the view's members, in its order, with the names of the columns.
 */
export function declareFields<const Fields extends Shape>(shape: Fields) {
  type Item = ItemOf<{ readonly shape: Fields }>;
  const members = Object.keys(shape).map((name) => ({
    name,
    member: name.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase()),
  }));
  return {
    shape,

    /** The names of the columns. */
    names: Object.keys(shape),

    /** For `tableOf`. */
    columns: Object.fromEntries(members.map(({ name, member }) => [member, name])) as {
      readonly [Name in keyof Fields as CamelCase<Name> & string]: Name & string;
    },

    /** The fields of an item as the API shows them. */
    view(item: Item) {
      const values = item as Readonly<Record<string, unknown>>;
      const view: Record<string, unknown> = {};
      for (const { name, member } of members) view[name] = values[member];
      return view as { [Name in keyof Fields]: Static<Fields[Name]> };
    },

    /** The fields that a request or row has, as members of an item: those of a change, to be spread over the item. */
    item<Given extends object>(given: Given) {
      const values = given as Readonly<Record<string, unknown>>;
      const item: Record<string, unknown> = {};
      for (const { name, member } of members) if (values[name] !== undefined) item[member] = values[name];
      return item as {
        [Name in keyof Given as Name extends keyof Fields ? CamelCase<Name> & string : never]: Exclude<
          Given[Name],
          undefined
        >;
      };
    },
  };
}

/** Parts of schemas, which validate requests and document the API. */
import {
  Type,
  type Static,
  type TNull,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnion,
  type TUnsafe,
} from "typebox";

/** A value, or `null`. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A list that is not modified. */
export function series<Item extends TSchema>(item: Item): TUnsafe<readonly Static<Item>[]> {
  return Type.Unsafe<readonly Static<Item>[]>(Type.Array(item));
}

/** The name of a resource: not only white space. */
export const Name: TString = Type.String({ minLength: 1, maxLength: 255, pattern: String.raw`[\S]+` });

/** An id that may be in a path. */
export const Id: TString = Type.String({ minLength: 1, maxLength: 64, pattern: "^[a-zA-Z0-9-]+$" });

/** Parameters of a path, of any value. */
export function pathOf<Names extends string>(...names: readonly Names[]): TObject<Record<Names, TString>> {
  return Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.String()])) as Record<Names, TString>,
  );
}

/** Query parameters. As in Keystone, unknown ones are ignored. */
export function queryOf<Names extends string>(
  ...names: readonly Names[]
): TObject<Record<Names, ReturnType<typeof Type.Optional<TString>>>> {
  return Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())])) as Record<
      Names,
      ReturnType<typeof Type.Optional<TString>>
    >,
  );
}

/** Parameters of lists in pages. */
export const PAGE_PARAMETERS = ["limit", "marker"] as const;

/** The query of a list in pages: parameters with schemas of their own, all of them optional. */
export function listQueryOf<Properties extends TProperties>(properties: Properties) {
  return Type.Object({
    ...Type.Partial(Type.Object(properties)).properties,
    ...queryOf(...PAGE_PARAMETERS).properties,
  });
}

/** The links of a resource. */
export const SelfLink = Type.Object({ self: Type.String() });

/** An object with these members and any others. */
export function openObject<Properties extends TProperties>(
  properties: Properties,
  options: { readonly minProperties?: number } = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: true });
}

/** A body with one member. */
export function bodyOf<Key extends string, Schema extends TSchema>(key: Key, schema: Schema) {
  return Type.Object({ [key]: schema } as Record<Key, Schema>, { additionalProperties: false });
}

/** The response to a list. */
export function listOf<Key extends string, Schema extends TSchema>(key: Key, item: Schema) {
  return Type.Object({
    [key]: Type.Array(item),
    links: Type.Object({
      next: nullable(Type.String()),
      self: Type.String(),
      previous: nullable(Type.String()),
    }),
    truncated: Type.Optional(Type.Boolean()),
    total: Type.Optional(Type.Number()),
  } as Record<Key, ReturnType<typeof Type.Array<Schema>>>);
}

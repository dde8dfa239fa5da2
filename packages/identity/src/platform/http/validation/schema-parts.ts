/** What many schemas have in common. They are both what is checked and what the API's document shows. */
import {
  Type,
  type TNull,
  type TObject,
  type TProperties,
  type TSchema,
  type TString,
  type TUnion,
} from "typebox";

/** A value, or `null`. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** The name of a resource: something must be seen of it. */
export const Name: TString = Type.String({ minLength: 1, maxLength: 255, pattern: String.raw`[\S]+` });

/** An id that may stand in a path. */
export const Id: TString = Type.String({ minLength: 1, maxLength: 64, pattern: "^[a-zA-Z0-9-]+$" });

/** Parameters of a path. Which of them exist is not for a schema to say. */
export function pathOf<Names extends string>(...names: readonly Names[]): TObject<Record<Names, TString>> {
  return Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.String()])) as Record<Names, TString>,
  );
}

/** What may stand behind the question mark. Keystone overlooks what it does not know there, and so do we. */
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

/** Parameters of every list that comes in pages. */
export const PAGE_PARAMETERS = ["limit", "marker"] as const;

/** Where a resource is found. */
export const SelfLink = Type.Object({ self: Type.String() });

/** An object of these members, and any that only its clients know. */
export function openObject<Properties extends TProperties>(
  properties: Properties,
  options: { readonly minProperties?: number } = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: true });
}

/** A body that has one member. */
export function bodyOf<Key extends string, Schema extends TSchema>(key: Key, schema: Schema) {
  return Type.Object({ [key]: schema } as Record<Key, Schema>, { additionalProperties: false });
}

/** The answer to a list. */
export function listOf<Key extends string, Schema extends TSchema>(key: Key, item: Schema) {
  return Type.Object({
    [key]: Type.Array(item),
    links: Type.Object({
      next: nullable(Type.String()),
      self: Type.String(),
      previous: nullable(Type.String()),
    }),
    truncated: Type.Optional(Type.Boolean()),
  } as Record<Key, ReturnType<typeof Type.Array<Schema>>>);
}

/** Validates requests against the schemas of their routes, with Keystone's messages. */
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

import { InvalidError } from "../../errors.js";
import { pythonText } from "./python-text.js";
import { schemaFault, type Schema, type SchemaFault } from "./schema-fault.js";
import { withoutSecrets } from "./without-secrets.js";

/** A part of the request does not fit its schema. */
export class SchemaError extends InvalidError {
  override readonly name = "SchemaError";
  override readonly code = "request/schema";
  /** The path of the fault, from the outside in. */
  readonly path: readonly (string | number)[];

  constructor({ path, value, reason }: SchemaFault) {
    const field = path.at(-1);
    super(
      field === undefined
        ? reason
        : `Invalid input for field/attribute ${field}. Value: ${pythonText(value)}. ${reason}`,
    );
    this.path = path;
  }
}

/** Checks values against a schema, without conversions and defaults. The first value compiles the schema. */
export function createSchemaCheck(schema: TSchema): (value: unknown) => SchemaError | undefined {
  let validator: ReturnType<typeof Compile<TSchema>> | undefined;
  return (value) => {
    validator ??= Compile(schema);
    return validator.Check(value)
      ? undefined
      : new SchemaError(faultOf(schema, withoutSecrets(value, schema as Schema)));
  };
}

/** A missing body is an empty object. Most routes of a service are never requested: their schemas are never compiled. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  const check = createSchemaCheck(schema);
  return (given: unknown) => {
    const value = given ?? {};
    const error = check(value);
    return error === undefined ? { value } : { error };
  };
};

function faultOf(schema: TSchema, value: unknown): SchemaFault {
  return (
    schemaFault(schema as Schema, value) ?? { path: [], value, reason: "The request does not fit its schema" }
  );
}

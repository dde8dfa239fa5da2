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

/**
 * Validates without conversions and defaults. A missing body is an empty object. Schemas are compiled at their first use, since most
 * routes of a service are never requested.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  let validator: ReturnType<typeof Compile<TSchema>> | undefined;
  return (given: unknown) => {
    validator ??= Compile(schema);
    const value = given ?? {};
    return validator.Check(value)
      ? { value }
      : { error: new SchemaError(faultOf(schema, withoutSecrets(value, schema as Schema))) };
  };
};

function faultOf(schema: TSchema, value: unknown): SchemaFault {
  return (
    schemaFault(schema as Schema, value) ?? { path: [], value, reason: "The request does not fit its schema" }
  );
}

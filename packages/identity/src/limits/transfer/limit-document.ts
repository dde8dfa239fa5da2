/** All registered limits and limits as one document, in YAML or JSON. */
import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";
import { parse, stringify } from "yaml";

import { errorClass, InvalidError } from "../../platform/errors.js";
import { schemaFault, type Schema } from "../../platform/http/validation/schema-fault.js";
import { isYamlTooDeep } from "../../platform/text/yaml-nesting.js";
import { SchemaError } from "../../platform/http/validation/validation.js";

import { NewLimit, type Limit } from "../limit.js";
import { NewRegisteredLimit, type RegisteredLimit } from "../registered-limit.js";

const LimitDocument = Type.Object(
  { registered_limits: Type.Array(NewRegisteredLimit), limits: Type.Array(NewLimit) },
  { additionalProperties: false },
);
/** Registered limits and limits as in requests. */
export type LimitDocument = Static<typeof LimitDocument>;

const validator = Compile(LimitDocument);

/** The text is not such a document. */
export class LimitDocumentError extends errorClass(InvalidError, "limits/document") {}

/** @throws {LimitDocumentError} Names the fault and its place. */
export function parseLimitDocument(text: string): LimitDocument {
  const value = parsed(text);
  if (validator.Check(value)) return value;
  const fault = schemaFault(LimitDocument as unknown as Schema, value);
  throw new LimitDocumentError(
    fault === undefined
      ? "The document does not fit the schema of limits."
      : `At ${fault.path.join(".") || "the top"}: ${new SchemaError(fault).message}`,
  );
}

function parsed(text: string): unknown {
  if (isYamlTooDeep(text))
    throw new LimitDocumentError("Values are nested too deep: a document of limits has three levels.");
  try {
    return parse(text);
  } catch (cause) {
    throw new LimitDocumentError((cause as Error).message, { cause });
  }
}

export type DocumentFormat = "yaml" | "json";

export function writeLimitDocument(document: LimitDocument, format: DocumentFormat): string {
  return format === "json" ? `${JSON.stringify(document, null, 2)}\n` : stringify(document, { lineWidth: 0 });
}

/** Registered limits and limits as in requests, without members that are `null`. */
export function toDocument(registered: readonly RegisteredLimit[], limits: readonly Limit[]): LimitDocument {
  return {
    registered_limits: registered.map((limit) => ({
      ...resource(limit),
      default_limit: limit.defaultLimit,
      ...described(limit),
    })),
    limits: limits.map((limit) => ({
      ...(limit.projectId === null ? { domain_id: limit.domainId } : { project_id: limit.projectId }),
      ...resource(limit),
      resource_limit: limit.resourceLimit,
      ...described(limit),
    })),
  };
}

function resource({ serviceId, regionId, resourceName }: RegisteredLimit | Limit) {
  return {
    service_id: serviceId,
    ...(regionId === null ? {} : { region_id: regionId }),
    resource_name: resourceName,
  };
}

function described({ description }: RegisteredLimit | Limit): { description?: string } {
  return description === null ? {} : { description };
}

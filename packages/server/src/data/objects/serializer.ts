import type { JsonObject } from "@purse/protocol";
import type { Config } from "../../config/loadConfig.ts";
import type { RequestContext } from "../../core/authContext.ts";
import type { ObjectText } from "../../database/objectText.ts";
import { type FileUrls, mayContainFiles } from "../fileUrls.ts";
import { hasProtectedFields } from "../permissions/protectedFields.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { ClassRules } from "./classRules.ts";
import type { NumberDecimals } from "./numberDecimals.ts";
import { parseObject, whenParsed } from "./parseObject.ts";
import type { ReadAccess } from "./readAccess.ts";

/**
 * Modifies an object before it is returned to a client. Receives a copy, which may be mutated, and the object's secret if
 * the caller has read it already.
 */
export type Serialize = (
  object: JsonObject,
  request: RequestContext,
  secret?: JsonObject,
) => JsonObject | Promise<JsonObject>;

export interface SerializerDependencies {
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  protectedFields?: Config["protectedFields"];
  fileUrls: FileUrls;
  numberDecimals: NumberDecimals;
}

/** Serializes objects for clients: removes hidden fields, applies class rules and adds file URLs. */
export interface Serializer {
  /** Undefined if the stored objects of the class are returned unchanged, except for file URLs. */
  forClass(className: string): Serialize | undefined;
  /** Adds what is read once for all objects of a response. */
  addFields(className: string, objects: readonly JsonObject[], request: RequestContext): Promise<void>;
  /** Like `forClass`, but also adds file URLs. If `texts` are given, only these objects will be serialized. */
  forClassWithFiles(className: string, texts?: readonly (ObjectText | null)[]): Serialize | undefined;
  /** Parses a stored object and adds file URLs. */
  parseWithFileUrls(text: ObjectText, request: RequestContext): JsonObject | Promise<JsonObject>;
  /** Like `parseWithFileUrls`, but returns text. */
  withFileUrls(text: ObjectText, request: RequestContext): ObjectText | Promise<ObjectText>;
}

export function createSerializer(
  { schemas, rules, protectedFields, fileUrls, numberDecimals }: SerializerDependencies,
  access: ReadAccess,
): Serializer {
  const forClass: Serializer["forClass"] = (className) => {
    const { serialize, restrictedFields } = rules.get(className) ?? {};
    const isProtected = hasProtectedFields(
      schemas.get(className),
      protectedFields?.[className],
      restrictedFields,
    );
    const decimals = numberDecimals(className);
    if (!serialize && !isProtected && !decimals) return undefined;
    return (stored, request, secret) => {
      // Before fields are hidden: an integer determines its decimal.
      const object = decimals && request.speaksParse ? decimals.object(stored) : stored;
      const schema = schemas.get(className);
      if (schema) for (const field of access.hiddenFields(schema, request.auth, object)) delete object[field];
      return serialize ? serialize(object, request, secret) : object;
    };
  };
  const parseWithFileUrls: Serializer["parseWithFileUrls"] = (text, request) => {
    const parsed = parseObject(text);
    if (!mayContainFiles(text)) return parsed;
    return whenParsed(parsed, (object) => fileUrls.expand(object, request));
  };
  return {
    forClass,
    async addFields(className, objects, request) {
      if (objects.length > 0) await rules.get(className)?.serializeAll?.(objects, request);
    },
    parseWithFileUrls,
    withFileUrls(text, request) {
      if (!mayContainFiles(text)) return text;
      return whenParsed(parseWithFileUrls(text, request), (object) => JSON.stringify(object));
    },
    forClassWithFiles(className, texts) {
      const serialize = forClass(className);
      const holdsFiles = texts
        ? texts.some((text) => text !== null && mayContainFiles(text))
        : Object.values(schemas.get(className)?.fields ?? {}).some(({ type }) => type === "File");
      if (!holdsFiles) return serialize;
      return (object, request, secret) => {
        const expanded = fileUrls.expand(object, request);
        return serialize ? serialize(expanded, request, secret) : expanded;
      };
    },
  };
}

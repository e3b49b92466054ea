import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { Config } from "../config.ts";
import { type FileUrls, mayContainFiles } from "../files/fileUrls.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { ObjectText } from "../store/store.ts";
import type { ReadAccess } from "./readAccess.ts";
import type { ClassRules } from "./rules.ts";

/** Takes from, or adds to, an object on its way out (a copy that may be changed). */
export type Present = (object: JsonObject, request: RequestContext) => JsonObject | Promise<JsonObject>;

export interface PresentationDependencies {
  schemas: Schemas;
  rules: ReadonlyMap<string, ClassRules>;
  protectedFields?: Config["protectedFields"];
  fileUrls: FileUrls;
}

/** Serializes objects for callers who may read them: without hidden fields, as the rules of the class say. */
export interface Presentation {
  /** Undefined for a class whose objects are shown as they are stored, but for the addresses of files. */
  of(className: string): Present | undefined;
  /** The same with the addresses of files. `texts` are the objects in question, where they are known. */
  withFiles(className: string, texts?: readonly (ObjectText | null)[]): Present | undefined;
  /** A stored object with the addresses of its files. */
  parse(text: ObjectText, request: RequestContext): JsonObject;
  /** The same as text. */
  withFileUrls(text: ObjectText, request: RequestContext): ObjectText;
}

export function createPresentation(
  { schemas, rules, protectedFields, fileUrls }: PresentationDependencies,
  access: ReadAccess,
): Presentation {
  const of: Presentation["of"] = (className) => {
    const onRead = rules.get(className)?.onRead;
    const isProtected =
      protectedFields?.[className] !== undefined ||
      Object.keys(schemas.get(className)?.classLevelPermissions.protectedFields ?? {}).length > 0;
    if (!onRead && !isProtected) return undefined;
    return (object, request) => {
      const schema = schemas.get(className);
      if (schema) for (const field of access.hiddenFrom(schema, request.auth, object)) delete object[field];
      return onRead ? onRead(object, request) : object;
    };
  };
  const parse: Presentation["parse"] = (text, request) => {
    const object: JsonObject = JSON.parse(text);
    return mayContainFiles(text) ? fileUrls.expand(object, request) : object;
  };
  return {
    of,
    parse,
    withFileUrls: (text, request) => (mayContainFiles(text) ? JSON.stringify(parse(text, request)) : text),
    withFiles(className, texts) {
      const present = of(className);
      const holdsFiles = texts
        ? texts.some((text) => text !== null && mayContainFiles(text))
        : Object.values(schemas.get(className)?.fields ?? {}).some(({ type }) => type === "File");
      if (!holdsFiles) return present;
      return (object, request) => {
        const expanded = fileUrls.expand(object, request);
        return present ? present(expanded, request) : expanded;
      };
    },
  };
}

import { isClassName, isJsonObject, type JsonObject } from "@purse/protocol";
import { z } from "zod";

/** A class as defined in the application's configuration. */
export interface ClassDefinition {
  className: string;
  fields: JsonObject;
  indexes: JsonObject;
  /** Undefined leaves the permissions unchanged. */
  classLevelPermissions?: JsonObject | undefined;
}

const OBJECT = z.custom<JsonObject>(isJsonObject, { error: "it must be an object" });

/** `schemas` of the config file. */
export const schemasSchema = z
  .array(
    z.strictObject({
      className: z.string().refine(isClassName, { error: "it cannot name a class" }),
      fields: z
        .record(z.string(), z.custom<JsonObject>(isJsonObject, { error: "it must be { type, … }" }))
        .default({}),
      indexes: OBJECT.default({}),
      classLevelPermissions: OBJECT.optional(),
    }),
  )
  .default([]) satisfies z.ZodType<ClassDefinition[]>;

import { isClassName, isJsonObject, type JsonObject } from "@purse/protocol";
import { z } from "zod";
import { ACCESS_PRESET_NAMES, ACCESS_PRESETS } from "./accessPresets.ts";

/** A class as defined in the application's configuration. */
export interface ClassDefinition {
  className: string;
  fields: JsonObject;
  indexes: JsonObject;
  /** Undefined leaves the permissions unchanged. */
  classLevelPermissions?: JsonObject | undefined;
}

type Migration = () => unknown;

const MIGRATION = z.custom<Migration>((value) => typeof value === "function", {
  error: "it must be a function",
});

/** How the definitions of classes are applied. */
export type SchemaOptions = z.output<typeof schemaOptionsSchema>;

/** `schemaOptions` of the config file. */
export const schemaOptionsSchema = z
  .strictObject({
    /** Whether the log names classes that are not defined. */
    strict: z.boolean().default(false),
    /** Whether fields that a defined class does not contain are removed with their values. */
    deleteExtraFields: z.boolean().default(false),
    /** Whether fields of another type are removed with their values, and added again. */
    recreateModifiedFields: z.boolean().default(false),
    /** Run before and after the definitions are applied; an error ends the start. */
    beforeMigration: MIGRATION.optional(),
    afterMigration: MIGRATION.optional(),
  })
  .prefault({});

const ACCESS = z.enum(ACCESS_PRESET_NAMES, {
  error: `it must be ${ACCESS_PRESET_NAMES.slice(0, -1).join(", ")} or ${ACCESS_PRESET_NAMES.at(-1)}`,
});

const OBJECT = z.custom<JsonObject>(isJsonObject, { error: "it must be an object" });

/** `schemas` of the config file. */
export const schemasSchema = z
  .array(
    z
      .strictObject({
        className: z.string().refine(isClassName, { error: "it cannot name a class" }),
        fields: z
          .record(z.string(), z.custom<JsonObject>(isJsonObject, { error: "it must be { type, … }" }))
          .default({}),
        indexes: OBJECT.default({}),
        access: ACCESS.optional(),
        classLevelPermissions: OBJECT.optional(),
      })
      .refine(
        ({ access, classLevelPermissions }) => access === undefined || classLevelPermissions === undefined,
        { error: "it has both access and classLevelPermissions" },
      )
      .transform(
        ({ access, ...definition }): ClassDefinition =>
          access === undefined
            ? definition
            : { ...definition, classLevelPermissions: ACCESS_PRESETS[access] },
      ),
  )
  .default([]) satisfies z.ZodType<ClassDefinition[]>;

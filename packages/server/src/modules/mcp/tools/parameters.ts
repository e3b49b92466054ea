import { isJsonObject, type JsonObject } from "@purse/protocol";
import { z } from "zod";

/*
 * Parameters of several tools.
 */

/** Classes of the application, and the system classes that tools read. */
export const className = z
  .string()
  .regex(/^(?:[A-Za-z][A-Za-z0-9_]{0,127}|_User|_Role|_Installation)$/)
  .describe("Name of a class, such as Note or _User");

/** System classes are changed by their own APIs alone. */
export const ownClassName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,127}$/)
  .describe("Name of a class; system classes cannot be changed");

export const objectId = z.string().min(1).max(200).describe("ID of the object");

export const jsonObject = z
  .custom<JsonObject>((value) => isJsonObject(value), "must be an object")
  .meta({ type: "object" });

export const names = (description: string) =>
  z.array(z.string().max(500)).max(100).optional().describe(description);

import { z } from "zod";
import { row } from "./fields.ts";

/** Body of all errors. */
export const studioError = z
  .object({
    code: z.int().describe("As in the Parse protocol"),
    error: z.string(),
    current: row.optional().describe("On a conflict (409), the current row"),
    secondFactor: z
      .boolean()
      .optional()
      .describe("The password was correct and a second factor is required (401)"),
  })
  .meta({ id: "StudioError" });
export type StudioError = z.infer<typeof studioError>;

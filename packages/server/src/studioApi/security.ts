import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { nothing, results } from "./fields.ts";

export const studioFinding = z
  .object({
    id: z.string(),
    severity: z.enum(["high", "medium", "low"]),
    title: z.string(),
    advice: z.string().describe("Recommended action"),
    className: z.string().optional(),
    isClosable: z.boolean().optional().describe("Whether closing the class to clients removes the finding"),
  })
  .meta({ id: "StudioFinding" });
export type StudioFinding = z.infer<typeof studioFinding>;

export const securityEndpoints = {
  security: endpoint("GET", "/security", {
    needs: "readOnly",
    summary: "Security findings, worst first",
    input: nothing,
    response: results(studioFinding),
  }),
};

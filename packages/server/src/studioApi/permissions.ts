import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { jsonObject, nothing, text } from "./fields.ts";

export const checkedOperation = z.enum(["get", "find", "count", "create", "update", "delete"]);

/** `user`: direct member; `gate`: by token balance; `role`: inherited from the role `from`. */
export const studioMembership = z.discriminatedUnion("by", [
  z.object({ role: z.string(), by: z.literal("user") }),
  z.object({ role: z.string(), by: z.literal("gate") }),
  z.object({ role: z.string(), by: z.literal("role"), from: z.string() }),
]);
export type StudioMembership = z.infer<typeof studioMembership>;

export const studioPermissionCheck = z
  .object({
    isAllowed: z.boolean(),
    isOfSome: z
      .boolean()
      .describe("Allowed only on objects that point to the user; set if no object was given"),
    decidedBy: z
      .enum(["class", "pointer", "acl", "rule", "missing"])
      .describe("Which check decided; `rule` is one of a built-in class"),
    why: z.string(),
    steps: z
      .array(z.object({ guard: z.string(), isPassed: z.boolean(), why: z.string(), isDeciding: z.boolean() }))
      .describe("All checks in order, up to the one that denied access; exactly one of them decided"),
    roles: z.array(z.string()),
    memberships: z.array(studioMembership).describe("Why the user is a member of each role"),
    gates: z
      .array(
        z.object({ role: z.string(), isMember: z.boolean(), min: z.string(), held: z.string().optional() }),
      )
      .describe("Results of the token gates of roles for the user"),
    hiddenFields: z.array(z.string()).describe("Fields of the row that are hidden from the user"),
  })
  .meta({ id: "StudioPermissionCheck" });
export type StudioPermissionCheck = z.infer<typeof studioPermissionCheck>;

export const studioRoles = z
  .object({
    roles: z.array(z.object({ id: z.string(), name: z.string(), gate: jsonObject.optional() })),
    edges: z
      .array(z.object({ parent: z.string(), child: z.string() }))
      .describe("Members of `child` are also members of `parent`"),
    cycles: z.array(z.array(z.string())).describe("Names of the roles in each cycle of the role hierarchy"),
  })
  .meta({ id: "StudioRoles" });
export type StudioRoles = z.infer<typeof studioRoles>;

export const permissionEndpoints = {
  check: endpoint("GET", "/permissions/check", {
    needs: "readOnly",
    summary: "Checks whether a user, or everyone, may perform an operation",
    input: z.object({
      className: text(),
      operation: checkedOperation,
      user: text().optional(),
      objectId: text().optional(),
    }),
    response: studioPermissionCheck,
  }),
  roles: endpoint("GET", "/roles", {
    needs: "readOnly",
    summary: "The role hierarchy, with token gates and cycles",
    input: nothing,
    response: studioRoles,
  }),
};

import type { Operation } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { classWith, user } from "../../../test/permissionFactories.ts";
import { ANONYMOUS, type AuthContext, internalRequest } from "../../core/authContext.ts";
import { applyDefaults, assertRequiredKept } from "./fieldDefaults.ts";
import { createPendingWrite } from "./pendingWrite.ts";

const schema = classWith(
  {},
  {
    fields: {
      title: { type: "String", required: true },
      votes: { type: "Number", defaultValue: 0 },
      due: { type: "Date", defaultValue: { __type: "Date", iso: "2026-01-02T03:04:05Z" } },
    },
  },
);
const title: Operation = { op: "Set", value: "Tea" };

/** Applies the defaults to a new object. */
function withDefaults(operations: Record<string, Operation>, auth: AuthContext = ANONYMOUS) {
  const pending = createPendingWrite("Note", "a1", { ...operations }, undefined);
  const added = applyDefaults(pending, schema, internalRequest(auth), {
    configuredAcl: undefined,
    access: "open",
  });
  return { operations: pending.operations, added };
}

describe("applyDefaults()", () => {
  it("sets what the client did not send, in the format of storage, and returns the names", () => {
    const { operations, added } = withDefaults({ title });
    expect(operations).toMatchObject({
      votes: { op: "Set", value: 0 },
      due: { op: "Set", value: { __type: "Date", iso: "2026-01-02T03:04:05.000Z" } },
    });
    expect(added).toEqual(["votes", "due"]);
  });

  it.each<[string, Operation]>([
    ["null", { op: "Set", value: null }],
    ["an empty text", { op: "Set", value: "" }],
    ["a Delete", { op: "Delete" }],
  ])("counts %s as not sent", (_, votes) => {
    expect(withDefaults({ title, votes }).operations.votes).toEqual({ op: "Set", value: 0 });
    expect(() => withDefaults({ title: votes })).toThrow(
      expect.objectContaining({ code: 142, message: "title is required" }),
    );
  });

  it("keeps a value that counts as false", () => {
    const votes: Operation = { op: "Increment", amount: 0 };
    expect(withDefaults({ title, votes }).operations.votes).toBe(votes);
  });

  it("keeps the ACL that the client sent", () => {
    const ACL: Operation = { op: "Set", value: {} };
    expect(withDefaults({ title, ACL }, user("ann")).operations.ACL).toBe(ACL);
  });
});

describe("assertRequiredKept()", () => {
  it("throws 142 for an update that removes a required field", () => {
    expect(() => assertRequiredKept({ title: { op: "Delete" } }, schema)).toThrow(
      expect.objectContaining({ code: 142, message: "title is required" }),
    );
  });

  it("accepts an update that does not touch it", () => {
    expect(() => assertRequiredKept({ votes: { op: "Delete" } }, schema)).not.toThrow();
  });
});

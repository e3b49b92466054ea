import type { JsonObject, Operation } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { ANONYMOUS } from "../core/authContext.ts";
import { createPendingWrite } from "../data/objects/pendingWrite.ts";
import { createTriggers } from "./triggers.ts";

const REQUEST = { auth: ANONYMOUS, installationId: undefined, context: {}, ip: "192.0.2.1", requestId: "r" };

/** The operations of a write after a beforeSave trigger, or a webhook in its place, has set fields. */
async function operationsAfter(
  operations: Record<string, Operation>,
  set: JsonObject,
  unset: string[] = [],
): Promise<[string, Operation][]> {
  const triggers = createTriggers({
    hasHandler: () => true,
    callContextOf: async () => ({
      user: undefined,
      roles: [],
      master: false,
      isReadOnly: false,
      installationId: undefined,
      context: {},
      ip: "192.0.2.1",
      headers: {},
      requestId: "r",
      client: undefined,
    }),
    run: async () => ({ changes: { set, unset } }),
  });
  const pending = createPendingWrite("Note", "a", operations, { box: { level: 1 } });
  await triggers.beforeSave("Note")?.(pending, REQUEST);
  return Object.entries(pending.operations);
}

describe("the fields that beforeSave sets", () => {
  const level: Operation = { op: "Set", value: 9 };
  const kept: [string, Operation] = ["box", { op: "Set", value: { level: 1 } }];

  it.each<[string, Record<string, Operation>]>([
    ["a part of a field", { "box.level": level }],
    ["a part of a part", { "box.level.a.b": level }],
    ["a field and a part of it", { box: { op: "Set", value: {} }, "box.level": level }],
    ["a part of a field and the field", { "box.level": level, box: { op: "Delete" } }],
    ["a removed field and a part of it", { box: { op: "Delete" }, "box.level": level }],
  ])("replace %s of the client", async (_, operations) => {
    expect(await operationsAfter(operations, { box: { level: 1 } })).toEqual([kept]);
  });

  it("leave nothing of a part whose field the client has set after it, if that is reverted", async () => {
    const operations: Record<string, Operation> = { "box.level": level, box: { op: "Set", value: {} } };
    expect(await operationsAfter(operations, {}, ["box"])).toEqual([]);
  });

  it("leave other fields of the client as they are", async () => {
    const operations: Record<string, Operation> = { text: level, "boxes.a": level, "box.b": level };
    expect(await operationsAfter(operations, { box: { level: 1 } })).toEqual([
      ["text", level],
      ["boxes.a", level],
      kept,
    ]);
  });

  it("apply after the field of which they are a part", async () => {
    const whole: Operation = { op: "Set", value: { level: 9 } };
    expect(await operationsAfter({ "box.level": level, box: whole }, { "box.level": 1 })).toEqual([
      ["box", whole],
      ["box.level", { op: "Set", value: 1 }],
    ]);
  });
});

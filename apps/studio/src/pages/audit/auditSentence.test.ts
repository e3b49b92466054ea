import type { StudioAuditEntry } from "@purse/server/studio-api";
import { createTranslator } from "@purse/ui";
import { describe, expect, it } from "vitest";
import en from "../../i18n/en.json" with { type: "json" };
import { auditSentence } from "./auditSentence.ts";

const translator = createTranslator("en", en);

function sentence(entry: Partial<StudioAuditEntry>): string {
  const { at, id, address, requestId } = { at: "", id: "1", address: "", requestId: "" };
  const whole = {
    at,
    id,
    address,
    requestId,
    username: "ada",
    action: "",
    target: "",
    outcome: "done" as const,
  };
  return auditSentence({ ...whole, ...entry }, translator)
    .map(({ text }) => text)
    .join("");
}

describe("auditSentence()", () => {
  it.each<[action: string, target: string, after: object | undefined, expected: string]>([
    ["POST /schema/classes/:className", "Order", {}, "ada created the class Order"],
    [
      "PUT /schema/classes/:className",
      "Order",
      { fields: { a: { type: "String" }, b: { type: "Date" } } },
      "ada added a, b to the class Order",
    ],
    [
      "PUT /schema/classes/:className",
      "Order",
      { fields: { a: { __op: "Delete" } } },
      "ada deleted a from the class Order",
    ],
    [
      "PUT /schema/classes/:className",
      "Order",
      { classLevelPermissions: {} },
      "ada changed the permissions of the class Order",
    ],
    ["POST /data/:className/rows", "Order/o1", {}, "ada created the row o1 of the class Order"],
    ["POST /data/:className/import", "Order", { rows: 1 }, "ada imported rows into the class Order: 1"],
    [
      "POST /data/:className/import",
      "Order",
      { rows: 2, isDry: true },
      "ada checked a file for an import into the class Order",
    ],
    [
      "POST /data/:className/bulk",
      "Order",
      { action: "delete", matched: 3 },
      "ada deleted rows of the class Order: 3",
    ],
    [
      "PUT /hooks/triggers/:className/:triggerName",
      "Order/beforeSave",
      {},
      "ada changed the hook beforeSave.Order",
    ],
    ["POST /hooks", "", { functionName: "ship", url: "" }, "ada added the hook ship"],
    ["POST /chains/:chainId/addresses", "1 0xab", undefined, "ada had the address 0xab indexed on chain 1"],
    ["MCP create_object", "Order", {}, "ada called the tool create_object over MCP"],
    ["backup restored", "b.zip", undefined, "ada restored the backup b.zip"],
    ["POST /gone/:id", "x", undefined, "ada did this: POST /gone/:id x"],
  ])("says what %s of %j with %j did", (action, target, after, expected) => {
    expect(sentence({ action, target, ...(after && { after: JSON.stringify(after) }) })).toBe(expected);
  });

  it("says that a rejected or unfinished change did not happen", () => {
    const action = "DELETE /schema/classes/:className";
    expect(sentence({ action, target: "Order", outcome: "refused" })).toBe(
      "Rejected: ada deleted the class Order",
    );
    expect(sentence({ action, target: "Order", outcome: "begun" })).toBe(
      "Not finished: ada deleted the class Order",
    );
    expect(sentence({ action: "POST /session", target: "ada", outcome: "refused" })).toBe(
      "Someone tried to sign in as ada",
    );
  });

  it("keeps names apart from the sentence, whatever they contain", () => {
    const username = "a\u2069{who}\u2068 b";
    const parts = auditSentence(
      {
        id: "1",
        at: "",
        username,
        action: "DELETE /session",
        target: "",
        outcome: "done",
        address: "",
        requestId: "",
      },
      translator,
    );
    expect(parts).toEqual([
      { text: "a{who} b", isName: true },
      { text: " signed out", isName: false },
    ]);
  });
});

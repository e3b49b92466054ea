import { describe, expect, it } from "vitest";
import { buildSnippets } from "./snippets.ts";

const ORDER = {
  className: "Order",
  classLevelPermissions: {},
  fields: {
    objectId: { type: "String" },
    total: { type: "Number" },
    at: { type: "GeoPoint" },
    buyer: { type: "Pointer", targetClass: "_User" },
    photo: { type: "File" },
  },
} as const;

describe("code for a class", () => {
  it("asks for objects by its fields", () => {
    const { query } = buildSnippets(ORDER, "https://a.example/server");
    expect(query).toContain('new Query("Order")\n  .equalTo("total", 1)\n  .descending("total")');
  });

  it("makes an object, and imports what that takes; what cannot be invented is left out", () => {
    const { create } = buildSnippets(ORDER, "https://a.example/server");
    expect(create).toContain('import { Object as PurseObject, GeoPoint } from "@purse/client";');
    expect(create).toContain("  total: 1,\n  at: new GeoPoint(46.95, 7.45),\n  buyer: PurseObject.fromJSON(");
    expect(create).not.toContain("photo");
    expect(create).not.toContain("objectId:" + " 1");
  });

  it("asks without the client, where the server is", () => {
    expect(buildSnippets(ORDER, "https://a.example/server").rest).toContain(
      "https://a.example/server/classes/Order",
    );
  });
});

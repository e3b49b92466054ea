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

describe("buildSnippets()", () => {
  it("returns a query by the fields of the class", () => {
    const { query } = buildSnippets(ORDER, "https://a.example/server");
    expect(query).toContain('new Query("Order")\n  .equalTo("total", 1)\n  .descending("total")');
  });

  it("returns code that creates an object, with the needed imports and without fields that have no sample value", () => {
    const { create } = buildSnippets(ORDER, "https://a.example/server");
    expect(create).toContain('import { Object as PurseObject, GeoPoint } from "@purse/client";');
    expect(create).toContain("  total: 1,\n  at: new GeoPoint(46.95, 7.45),\n  buyer: PurseObject.fromJSON(");
    expect(create).not.toContain("photo");
    expect(create).not.toContain("objectId:" + " 1");
  });

  it("returns a REST request to the server's URL", () => {
    expect(buildSnippets(ORDER, "https://a.example/server").rest).toContain(
      "https://a.example/server/classes/Order",
    );
  });
});

import type { StudioRole } from "@purse/server/studio-api";
import { describe, expect, it } from "vitest";
import { type CellEditMode, cellEditMode } from "./cellEditMode.ts";
import { type Column, columnsOf } from "./columns.ts";

const columns = columnsOf(
  {
    className: "Note",
    fields: {
      objectId: { type: "String" },
      text: { type: "String" },
      place: { type: "GeoPoint" },
      tags: { type: "Relation", targetClass: "Tag" },
    },
  },
  { order: [], hidden: [], pinned: [], widths: {} },
);

function modeOf(name: string, role: StudioRole): CellEditMode | undefined {
  const column: Column | undefined = columns.find((each) => each.name === name);
  return column && cellEditMode(column, role);
}

describe("cellEditMode()", () => {
  it("edits short values in the grid and others in a dialog", () => {
    expect(modeOf("text", "editor")).toBe("inline");
    expect(modeOf("place", "editor")).toBe("value");
  });

  it("leaves fields of the server, and all fields of read-only operators, as they are", () => {
    expect(modeOf("objectId", "owner")).toBe("none");
    expect(modeOf("text", "readOnly")).toBe("none");
  });

  it("opens relations for every role", () => {
    expect(modeOf("tags", "readOnly")).toBe("relation");
    expect(modeOf("tags", "editor")).toBe("relation");
  });
});

import type { JsonValue } from "@purse/protocol";
import { cleanup, render } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Column } from "./columns.ts";
import { FieldList } from "./FieldList.tsx";
import { GridCell } from "./GridCell.tsx";

vi.mock("../../StudioContext.tsx", () => ({
  useOperator: () => ({ username: "ada", role: "owner" }),
  useHasRole: () => true,
}));

const MARKUP = `"><img src=x onerror="window.planted = 1"><script>window.planted = 1</script>`;

/** What users may have stored. */
const VALUES: [string, Column["type"], JsonValue][] = [
  ["a text", "String", MARKUP],
  ["an object", "Object", { [MARKUP]: MARKUP, __html: MARKUP }],
  ["a list", "Array", [MARKUP, { dangerouslySetInnerHTML: { __html: MARKUP } }]],
  ["a pointer", "Pointer", { __type: "Pointer", className: MARKUP, objectId: MARKUP }],
  ["a date", "Date", { __type: "Date", iso: MARKUP }],
  ["an ACL", "ACL", { [MARKUP]: { read: true } }],
  [
    "a file with a script as its address",
    "File",
    { __type: "File", name: MARKUP, url: "javascript:alert(1)" },
  ],
  [
    "a file with a document as its address",
    "File",
    { __type: "File", name: "x", url: `data:text/html,${MARKUP}` },
  ],
];

beforeEach(cleanup);
afterEach(cleanup);

describe.each(VALUES)("%s of a user", (_, type, value) => {
  const column = (name: string): Column => ({ name, type, width: 120, isPinned: false, isHidden: false });
  const nothing = () => undefined;

  it.each(["planted", MARKUP])("is text in the grid and beside it, in the field %s", (name) => {
    const { container } = render(
      <>
        <GridCell
          {...{ grid: "g", column: column(name), row: 0, columnIndex: 0, left: undefined, value }}
          {...{ invalid: undefined, isChanged: false, isActive: false, isSelected: false, editor: undefined }}
        />
        <FieldList
          row={{ objectId: "a", [name]: value }}
          columns={[column(name)]}
          draft={undefined}
          onEdit={nothing}
          onOpen={nothing}
        />
      </>,
    );
    expect(container.querySelectorAll("img, script, iframe, [onerror]")).toHaveLength(0);
    for (const { href } of container.querySelectorAll("a")) expect(href).toMatch(/^https?:/);
    expect(container.textContent).toContain(name);
    expect(Reflect.get(window, "planted")).toBeUndefined();
  });
});

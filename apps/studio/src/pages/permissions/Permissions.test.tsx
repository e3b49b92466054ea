import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { openPage } from "../../../test/openPage.tsx";
import { Permissions } from "./Permissions.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const SHELF = {
  className: "Shelf",
  fields: { owner: { type: "Pointer", targetClass: "_User" } },
  classLevelPermissions: {
    get: { "*": true },
    find: { "*": true },
    count: { requiresAuthentication: true },
    create: { requiresAuthentication: true },
    update: { "role:Staff": true },
    delete: {},
    addField: {},
  },
};
const RESPONSES = {
  "GET /schema": { results: [SHELF] },
  "GET /roles": {
    roles: [
      { id: "r1", name: "Staff" },
      { id: "r2", name: "Clerks" },
    ],
    // Clerks are staff.
    edges: [{ parent: "r1", child: "r2" }],
    cycles: [],
  },
  "GET /data/_User": { results: [] },
};

it("Permissions shows a class to read-only operators, who cannot change it", async () => {
  await openPage(Permissions, RESPONSES, { role: "readOnly", path: "/?class=Shelf" });
  const grid = await screen.findByRole("grid", { name: "Permissions of Shelf" });
  expect(screen.getByText("Read-only. Editors and owners can make changes.")).toBeTruthy();
  expect(grid.getAttribute("aria-readonly")).toBe("true");
  const cell = within(grid).getByRole("checkbox", { name: "Everyone: find" });
  fireEvent.click(cell);
  expect(cell.getAttribute("aria-checked")).toBe("true");
  expect(screen.queryByText(/pending change/)).toBeNull();
  expect(screen.getByRole("button", { name: "Add role or user" })).toHaveProperty("disabled", true);
});

it("Permissions collects changes of a class until they are reviewed, and undoes single ones", async () => {
  const { sent } = await openPage(Permissions, RESPONSES, { path: "/?class=Shelf" });
  const grid = within(await screen.findByRole("grid", { name: "Permissions of Shelf" }));
  fireEvent.click(grid.getByRole("checkbox", { name: "Everyone: find" }));
  fireEvent.click(grid.getByRole("checkbox", { name: "Staff: delete" }));
  expect(grid.getByRole("checkbox", { name: "Everyone: find, not saved yet" })).toBeTruthy();
  expect(grid.getByRole("checkbox", { name: "Clerks: delete, inherited from Staff" })).toBeTruthy();
  expect(screen.getByText("2 pending changes")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Undo: Revoke find from Everyone" }));
  expect(screen.getByText("1 pending change")).toBeTruthy();
  expect(grid.getByRole("checkbox", { name: "Everyone: find" }).getAttribute("aria-checked")).toBe("true");
  expect(sent).toEqual([]);
});

it("Permissions moves through the matrix by keyboard, also over cells that cannot be set", async () => {
  await openPage(Permissions, RESPONSES, { path: "/?class=Shelf" });
  const grid = await screen.findByRole("grid", { name: "Permissions of Shelf" });
  const press = (key: string, modifiers = {}) => fireEvent.keyDown(grid, { key, ...modifiers });
  const focused = () => document.activeElement?.getAttribute("aria-label");
  within(grid).getByRole("checkbox", { name: "Everyone: get" }).focus();
  press("ArrowRight");
  expect(focused()).toBe("Everyone: find");
  press("End", { ctrlKey: true });
  expect(focused()).toBe("owner: all");
  press("Home");
  for (let i = 0; i < 3; i += 1) press("ArrowRight");
  expect(focused()).toBe("owner: create, not applicable: a new object has no pointers yet");
});

it("Permissions shows at a glance the access to each class, also for one role including inherited access", async () => {
  const { search } = await openPage(Permissions, RESPONSES, { role: "readOnly", path: "/?find=shelf" });
  const link = await screen.findByRole("link", { name: "Shelf" });
  const cells = () => [...(link.closest("tr")?.cells ?? [])].slice(1).map((cell) => cell.textContent);
  expect(cells().slice(2, 4)).toEqual(["Authenticated", "Authenticated"]);
  expect(cells()[4]).toContain("Staff");
  expect(cells().slice(5)).toEqual(["Master key only", "Master key only"]);
  fireEvent.click(screen.getByRole("combobox", { name: "View for" }));
  fireEvent.keyDown(await screen.findByRole("option", { name: "Members of Clerks" }), { key: "Enter" });
  await expect.poll(cells).toEqual(["Yes", "Yes", "Yes", "Yes", "Yes", "No", "No"]);
  expect(search().who).toBe("role:Clerks");
  expect(link.getAttribute("href")).toBe("/permissions?show=class&class=Shelf");
});

it("Permissions sets the access of a class by a word, after a preview", async () => {
  const { sent } = await openPage(
    Permissions,
    {
      ...RESPONSES,
      "POST /schema/classes/Shelf/preview": {
        lines: ['~ Shelf permission update {"requiresAuthentication":true}'],
        code: "{}",
        classLevelPermissions: SHELF.classLevelPermissions,
        ownsNewObjects: false,
      },
    },
    { path: "/?class=Shelf" },
  );
  fireEvent.click(await screen.findByRole("combobox", { name: "Set access to" }));
  fireEvent.keyDown(
    await screen.findByRole("option", { name: "Public read, users create and write their own" }),
    { key: "Enter" },
  );
  expect(await screen.findByRole("region", { name: "Access after the change" })).toBeTruthy();
  expect(sent).toEqual([
    { request: "POST /schema/classes/Shelf/preview", body: { edit: { access: "usersCreate" } } },
  ]);
});

const NOTE = {
  className: "Note",
  fields: { objectId: { type: "String" }, text: { type: "String" } },
  classLevelPermissions: {},
};

/** Opens the check of a class with one object. */
async function openCheck(object: string) {
  const checked: string[] = [];
  const page = await openPage(
    Permissions,
    {
      ...RESPONSES,
      "GET /schema": { results: [NOTE] },
      "GET /data/Note": (query: URLSearchParams) => {
        const isFound = (query.get("where") ?? "").includes("beans");
        return { results: isFound ? [{ objectId: "note000001", text: "Order the beans" }] : [] };
      },
      "GET /data/Note/rows/note000001": { objectId: "note000001", text: "Order the beans" },
      "GET /permissions/check": (query: URLSearchParams) => {
        checked.push(query.get("objectId") ?? "");
        const verdict = { isAllowed: true, isOfSome: false, decidedBy: "acl", why: "", steps: [] };
        return { ...verdict, roles: [], hiddenFields: [], memberships: [], gates: [] };
      },
    },
    { path: `/?show=question&class=Note&object=${object}` },
  );
  return { ...page, checked };
}

it("Permissions finds the object of an access check by a text in it", async () => {
  const { search } = await openCheck("");
  const input = await screen.findByRole("combobox", { name: "Object" });
  fireEvent.focus(input);
  fireEvent.change(input, { target: { value: "beans" } });
  fireEvent.click(await screen.findByRole("option", { name: /Order the beans/ }));
  expect(search().object).toBe("note000001");
  await expect.poll(() => Reflect.get(input, "value")).toBe("Order the beans · note000001");
});

it("Permissions says that an object does not exist, and checks no operation on it", async () => {
  const { checked, search } = await openCheck("gone000001");
  await screen.findByText("Note has no object gone000001");
  expect(checked).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Check any object" }));
  await expect.poll(() => checked.length).toBeGreaterThan(0);
  expect(search().object).toBeUndefined();
});

import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { openPage, type Responses } from "../../../test/openPage.tsx";
import { Roles } from "./Roles.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const ROLES = [
  { id: "r1", name: "Hen" },
  { id: "r2", name: "Egg" },
];
const REST: Responses = {
  "GET /schema": { results: [] },
  "GET /chains": { results: [{ chain: 1337, name: "local", title: "Local Chain" }] },
  "GET /data/_User": { results: [] },
  "GET /data/_User/count": { count: 0 },
};
const CYCLE = {
  roles: ROLES,
  edges: [
    { parent: "r1", child: "r2" },
    { parent: "r2", child: "r1" },
  ],
  cycles: [["Hen", "Egg"]],
};

it("Roles shows a cycle as an error, which an editor breaks by removing a link", async () => {
  const responses: Responses = { ...REST, "GET /roles": CYCLE, "PUT /data/_Role/rows/r2": {} };
  const { sent } = await openPage(Roles, responses, { path: "/?role=Hen" });
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Hen → Egg → Hen");
  expect(screen.getByRole("button", { name: /^Hen, .*part of a cycle$/ })).toBeTruthy();
  fireEvent.click(within(alert).getByRole("button", { name: "Remove Hen from Egg" }));
  responses["GET /roles"] = { roles: ROLES, edges: [{ parent: "r1", child: "r2" }], cycles: [] };
  await expect.poll(() => screen.queryByRole("alert")).toBeNull();
  const objects = [{ __type: "Pointer", className: "_Role", objectId: "r1" }];
  expect(sent).toEqual([
    {
      request: "PUT /data/_Role/rows/r2",
      body: { fields: { roles: { __op: "RemoveRelation", objects } } },
    },
  ]);
});

it("Roles lets read-only operators change nothing", async () => {
  await openPage(Roles, { ...REST, "GET /roles": CYCLE }, { role: "readOnly", path: "/?role=Hen" });
  const alert = await screen.findByRole("alert");
  const remove = within(alert).getByRole("button", { name: "Remove Hen from Egg" });
  for (const button of [
    remove,
    ...["Create role", "Add user"].map((name) => screen.getByRole("button", { name })),
  ])
    expect(button).toHaveProperty("disabled", true);
});

it("Roles adds a token gate after its form is valid, and removes one", async () => {
  const [role] = ROLES;
  const rolesWith = (gate: object | undefined) => ({ roles: [{ ...role, gate }], edges: [], cycles: [] });
  const responses: Responses = {
    ...REST,
    "GET /roles": rolesWith(undefined),
    "PUT /data/_Role/rows/r1": {},
  };
  const { sent } = await openPage(Roles, responses, { path: "/?role=Hen" });
  const add = await screen.findByRole("button", { name: "Add token gate" });
  await expect.poll(() => add.getAttribute("disabled")).toBeNull();
  fireEvent.click(add);
  const form = within(await screen.findByRole("dialog"));
  const fill = (label: string, value: string) =>
    fireEvent.change(form.getByLabelText(label), { target: { value } });
  const save = form.getByRole("button", { name: "Save" });
  fill("Token address", "0x12");
  expect(await form.findByText(/^Invalid address/)).toBeTruthy();
  const token = `0x${"ab".repeat(20)}`;
  fill("Token address", token);
  fireEvent.click(form.getByRole("combobox", { name: "Standard" }));
  fireEvent.keyDown(await screen.findByRole("option", { name: /^ERC1155/ }), { key: "Enter" });
  expect(await form.findByText("ERC1155 requires a token ID.")).toBeTruthy();
  expect(save).toHaveProperty("disabled", true);
  fireEvent.change(form.getByLabelText(/^Token ID/), { target: { value: "7" } });
  fill("Minimum balance", "2");
  await expect.poll(() => save.getAttribute("disabled")).toBeNull();
  const gate = { chainId: 1337, standard: "ERC1155", token, tokenId: "7", min: "2" };
  responses["GET /roles"] = rolesWith(gate);
  fireEvent.click(save);
  const holders = "Users who hold at least 2 of this token across all linked wallets are members of Hen.";
  expect(await screen.findByText(holders)).toBeTruthy();
  const request = "PUT /data/_Role/rows/r1";
  expect(sent).toEqual([{ request, body: { fields: { gate } } }]);
  responses["GET /roles"] = rolesWith(undefined);
  fireEvent.click(screen.getByRole("button", { name: "Remove token gate" }));
  expect(await screen.findByRole("button", { name: "Add token gate" })).toBeTruthy();
  expect(sent.at(-1)).toEqual({ request, body: { fields: { gate: { __op: "Delete" } } } });
});

import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { openPage } from "../../../test/openPage.tsx";
import { SecurityCheck } from "./SecurityCheck.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("SecurityCheck lists what is open with its severity and a fix, and links to the class", async () => {
  await openPage(SecurityCheck, {
    "GET /security": {
      results: [
        {
          id: "a",
          severity: "high",
          title: "Everyone can delete notes",
          advice: "Revoke it.",
          className: "Note",
        },
        { id: "b", severity: "low", title: "No second factor", advice: "Set it up." },
      ],
    },
  });
  const findings = await screen.findByRole("region", { name: "2 findings" });
  const [first, second] = within(findings).getAllByRole("listitem");
  for (const text of ["High", "Everyone can delete notes", "Revoke it."])
    expect(first?.textContent).toContain(text);
  expect(within(findings).getByRole("link", { name: "Open class Note" }).getAttribute("href")).toBe(
    "/classes?class=Note",
  );
  expect(second?.textContent).toContain("Low");
});

it("SecurityCheck closes a class after a preview of who may then do what", async () => {
  const NOBODY = { get: {}, find: {}, count: {}, create: {}, update: {}, delete: {}, addField: {} };
  const finding = {
    id: "class.write",
    severity: "high",
    title: "Everyone can delete objects",
    advice: "Close it.",
  };
  const { sent } = await openPage(SecurityCheck, {
    "GET /security": {
      results: [
        { ...finding, className: "Note", isClosable: true },
        { ...finding, id: "class.index", className: "Post" },
      ],
    },
    "POST /schema/classes/Note/preview": {
      lines: ["~ Note permission find {}"],
      code: "{}",
      classLevelPermissions: NOBODY,
      ownsNewObjects: true,
    },
    "PUT /schema/classes/Note": { className: "Note", fields: {}, classLevelPermissions: NOBODY },
  });
  const close = await screen.findByRole("button", { name: "Close Note to clients" });
  expect(screen.queryByRole("button", { name: "Close Post to clients" })).toBeNull();
  fireEvent.click(close);
  const access = await screen.findByRole("region", { name: "Access after the change" });
  expect(within(access).getAllByText("Master key only")).toHaveLength(7);
  expect(access.textContent).toContain("Objects that users create without an ACL are private to them.");
  fireEvent.click(screen.getByRole("button", { name: "Apply" }));
  await expect
    .poll(() => sent.at(-1))
    .toEqual({ request: "PUT /schema/classes/Note", body: { edit: { access: "closed" } } });
});

it("SecurityCheck says that there are no findings", async () => {
  await openPage(SecurityCheck, { "GET /security": { results: [] } });
  expect(await screen.findByText("No findings")).toBeTruthy();
});
